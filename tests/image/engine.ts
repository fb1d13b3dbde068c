/** A container engine on the command line: docker, or podman, which takes the same words. */
import { spawnSync } from 'node:child_process'

/** Of a build too: on a busy machine packages and pages take long. */
const COMMAND_MS = 3_600_000
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024
const ENGINE_VARIABLES = ['PATH', 'HOME', 'DOCKER_HOST', 'CONTAINERS_CONF', 'STORAGE_DRIVER']

/** @returns the words of a variable, as further flags of a command */
export function flagsIn(name: string): readonly string[] {
  return (process.env[name] ?? '').split(' ').filter((flag) => flag !== '')
}

export interface Ran {
  readonly code: number | null
  /** What the command answered: its standard output. */
  readonly answer: string
  /** Both outputs: podman writes warnings of its own to the other one. */
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

  run(...words: readonly string[]): Ran {
    return ran([this.name, ...words])
  }

  /** @returns its standard output @throws with what it said, when it fails */
  must(...words: readonly string[]): string {
    return answerOf([this.name, ...words])
  }

  /** @param settings the variables of the file; of the environment only what the engine reads */
  compose(file: string, project: string, settings: Readonly<Record<string, string>>): Composed {
    const program = this.name === 'docker' ? ['docker', 'compose'] : ['podman-compose']
    const words = [...program, '--file', file, '--project-name', project]
    const own = ENGINE_VARIABLES.map((name) => [name, process.env[name]])
    return new Composed(words, { ...Object.fromEntries(own), ...settings })
  }
}

/** The containers of a compose file. */
export class Composed {
  readonly #words: readonly string[]
  readonly #environment: NodeJS.ProcessEnv

  constructor(words: readonly string[], environment: NodeJS.ProcessEnv) {
    this.#words = words
    this.#environment = environment
  }

  run(...words: readonly string[]): Ran {
    return ran([...this.#words, ...words], this.#environment)
  }

  /** @returns its standard output @throws with what it said, when it fails */
  must(...words: readonly string[]): string {
    return answerOf([...this.#words, ...words], this.#environment)
  }
}

function answerOf(words: readonly string[], environment?: NodeJS.ProcessEnv): string {
  const { code, answer, output } = ran(words, environment)
  if (code !== 0) throw new Error(`${words.join(' ')} (${code}): ${output.slice(-4_000)}`)
  return answer
}

function ran([program = '', ...words]: readonly string[], env = process.env): Ran {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    encoding: 'utf8',
    timeout: COMMAND_MS,
    maxBuffer: OUTPUT_BYTES_MAX,
    env,
  })
  const answer = stdout ?? ''
  const output = `${answer}${stderr ?? ''}${error ?? ''}`
  // Podman ends with 0 when it is told to end before its work is done.
  return { code: error === undefined ? status : null, answer, output }
}
