/** The verifiers of `examples/verify`, as processes: programs that share no code with ours. */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const folder = fileURLToPath(new URL('../../examples/verify/', import.meta.url))
const run = promisify(execFile)
const BUILD_MS_MAX = 300_000

export interface ForeignVerifier {
  readonly name: string
  /** The last line that it prints, and how it ended. */
  verify(
    file: string,
    key: string,
    checkpoint?: string,
    witnesses?: readonly string[],
  ): Promise<{ verdict: unknown; code: number }>
}

/** @throws when Python with `cryptography`, or Go, is missing */
export function foreignVerifiers(scratch: string): readonly ForeignVerifier[] {
  const own = join(folder, '.venv/bin/python')
  const python = existsSync(own) ? own : 'python3'
  execFileSync(python, ['-c', 'import cryptography'], { timeout: BUILD_MS_MAX })
  const binary = join(scratch, 'verify')
  const build = ['build', '-o', binary, '.']
  execFileSync('go', build, { cwd: folder, timeout: BUILD_MS_MAX })
  return [verifier('Python', python, [join(folder, 'verify.py')]), verifier('Go', binary, [])]
}

function verifier(name: string, command: string, first: readonly string[]): ForeignVerifier {
  return {
    name,
    async verify(file, key, checkpoint, witnesses = []) {
      const given = checkpoint === undefined ? [] : [checkpoint, ...witnesses]
      const words = [...first, file, key, ...given]
      const { stdout, code } = await run(command, words).then(
        ({ stdout }) => ({ stdout, code: 0 }),
        (error: { stdout: string; stderr: string; code: number }) => {
          if (error.stdout === '') throw new Error(`${name}: ${error.stderr}`)
          return error
        },
      )
      return { verdict: JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''), code }
    },
  }
}
