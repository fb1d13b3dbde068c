/** A container engine on the command line: docker, or podman, which takes the same words. */
import { spawnSync } from 'node:child_process'

/** Of a build too: on a busy machine packages and pages take long. */
const COMMAND_MS = 3_600_000
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

export interface Ran {
  readonly code: number | null
  readonly output: string
}

export class Engine {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  /** @returns the first that answers; undefined when none does */
  static find(names: readonly string[] = ['docker', 'podman']): Engine | undefined {
    return names.map((name) => new Engine(name)).find((engine) => engine.run('info').code === 0)
  }

  /** @returns what was written to both outputs */
  run(...words: readonly string[]): Ran {
    const { status, stdout, stderr, error } = spawnSync(this.name, words, {
      encoding: 'utf8',
      timeout: COMMAND_MS,
      maxBuffer: OUTPUT_BYTES_MAX,
    })
    const output = `${stdout ?? ''}${stderr ?? ''}`
    // Podman ends with 0 when it is told to end before its work is done.
    return error === undefined ? { code: status, output } : { code: null, output: output + error }
  }

  /** @throws with what it said, when it fails */
  must(...words: readonly string[]): string {
    const { code, output } = this.run(...words)
    if (code !== 0)
      throw new Error(`${this.name} ${words.join(' ')} (${code}): ${output.slice(-4_000)}`)
    return output
  }
}
