/** One command of an example, with a bound on its time and on what is kept of its output. */
import { spawn } from 'node:child_process'

const OUTPUT_CHARACTERS_MAX = 256 * 1024

export interface Step {
  readonly command: string
  readonly arguments: readonly string[]
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  readonly timeoutMs: number
}

export interface StepResult {
  readonly passed: boolean
  /** Standard output and standard error as they came; the beginning is cut when there is much. */
  readonly output: string
  /** Why it did not pass. */
  readonly reason: string
}

/** Runs it in a process group of its own, which is ended whole when its time is over. */
export function runStep(step: Step): Promise<StepResult> {
  const child = spawn(step.command, step.arguments, {
    cwd: step.folder,
    env: step.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  let timedOut = false
  const keep = (text: string) => {
    output = (output + text).slice(-OUTPUT_CHARACTERS_MAX)
  }
  child.stdout.setEncoding('utf8').on('data', keep)
  child.stderr.setEncoding('utf8').on('data', keep)
  const timer = setTimeout(() => {
    timedOut = true
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, step.timeoutMs)
  return new Promise((resolve) => {
    const end = (passed: boolean, reason: string) => {
      clearTimeout(timer)
      resolve({ passed, output, reason })
    }
    child.once('error', (error) => end(false, error.message))
    child.once('close', (code, signal) => {
      if (timedOut) end(false, `not done in ${step.timeoutMs / 1000} s`)
      else end(code === 0, code === 0 ? '' : `ended with ${code ?? signal}`)
    })
  })
}
