/**
 * For tests: a server in a container, to start and to break as a process of the machine is. It has
 * the network of the machine (Linux), so that it listens on the loopback alone, and on a port that
 * stays the same.
 */
import { existsSync } from 'node:fs'
import type { GenericContainer } from 'testcontainers'
import type { ServerRun } from '../server-run.ts'

const SOCKET = '/var/run/docker.sock'

export interface TestContainerOptions {
  readonly image: string
  /** What runs in it; what the image says by default. */
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** Whether an engine can be asked. It is not asked, which takes a second. */
export function containerEngineIsHere(): boolean {
  return process.env.DOCKER_HOST !== undefined || existsSync(SOCKET)
}

/** The little that is used of a container by its id. */
interface EngineContainer {
  kill(): Promise<unknown>
  stop(): Promise<unknown>
  start(): Promise<unknown>
  wait(): Promise<unknown>
  pause(): Promise<unknown>
  unpause(): Promise<unknown>
  remove(options: { readonly force: boolean; readonly v: boolean }): Promise<unknown>
  inspect(): Promise<{ readonly State: { readonly Running: boolean } }>
  logs(options: { readonly stdout: true; readonly stderr: true }): Promise<Buffer>
}

export class TestContainer implements ServerRun {
  readonly #options: TestContainerOptions
  #container: EngineContainer | undefined
  #isPaused = false

  constructor(options: TestContainerOptions) {
    this.#options = options
  }

  /** The first time it is made; later it goes on with the files that it had. */
  async start(): Promise<void> {
    if (this.#container !== undefined) {
      await this.#container.start()
      return
    }
    // Loaded only here: most tests need no container.
    const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers')
    const started = await this.#described(new GenericContainer(this.#options.image)).start()
    const client = await getContainerRuntimeClient()
    this.#container = client.container.getById(started.getId())
  }

  async hasEnded(): Promise<boolean> {
    const seen = await this.#container?.inspect()
    return seen?.State.Running !== true
  }

  /** What it has written. */
  async output(): Promise<string> {
    return String((await this.#container?.logs({ stdout: true, stderr: true })) ?? '')
  }

  async kill(): Promise<void> {
    await this.thaw()
    await this.#end((container) => container.kill())
  }

  async stop(): Promise<void> {
    await this.#end((container) => container.stop())
  }

  async freeze(): Promise<void> {
    await this.#container?.pause()
    this.#isPaused = true
  }

  async thaw(): Promise<void> {
    if (!this.#isPaused) return
    this.#isPaused = false
    await this.#container?.unpause()
  }

  /** With its files. Idempotent. */
  async remove(): Promise<void> {
    const container = this.#container
    this.#container = undefined
    this.#isPaused = false
    await container?.remove({ force: true, v: true })
  }

  #described(container: GenericContainer): GenericContainer {
    const { command, environment = {} } = this.#options
    const described = container.withNetworkMode('host').withEnvironment({ ...environment })
    return command === undefined ? described : described.withCommand([...command])
  }

  async #end(how: (container: EngineContainer) => Promise<unknown>): Promise<void> {
    const container = this.#container
    if (container === undefined || (await this.hasEnded())) return
    const ended = container.wait()
    await how(container)
    await ended
  }
}
