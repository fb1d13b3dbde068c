/** For tests: a child process whose lines can be awaited. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface LineProcess {
  readonly child: ChildProcess
  /** All lines so far. */
  readonly lines: readonly string[]
  /** Resolves when that many lines were printed; rejects when the process ends before. */
  printed(count: number): Promise<void>
  /** Resolves with the signal or the exit code when the process has ended and all is read. */
  readonly ended: Promise<string | number | null>
}

/** Runs a TypeScript file with this Node.js. @param wrapper a command to run it under */
export function runProgram(
  file: URL,
  args: readonly string[],
  { env = {}, wrapper = [] }: { env?: Record<string, string>; wrapper?: readonly string[] } = {},
): LineProcess {
  const [command = '', ...rest] = [...wrapper, process.execPath, fileURLToPath(file), ...args]
  const child = spawn(command, rest, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  let isOver = false
  const wake = (): void => {
    for (const check of waiting) check()
  }
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    wake()
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const ended = new Promise<string | number | null>((resolve) => {
    child.on('close', (code, signal) => {
      isOver = true
      wake()
      resolve(signal ?? code)
    })
  })
  return {
    child,
    lines,
    ended,
    printed: (count) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (lines.length < count && !isOver) return
          waiting.delete(check)
          if (lines.length >= count) resolve()
          else reject(new Error(`the process ended early: ${lines.join(' | ')} ${errors}`))
        }
        waiting.add(check)
        check()
      }),
  }
}
