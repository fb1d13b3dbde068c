/** For tests: a broker in a container, with settings by variables, as the public image has them. */
import { TestContainer } from '../containers/test-container.ts'
import type { BrokerRun, BrokerSettings } from './kafka-broker.ts'

export class BrokerContainer implements BrokerRun {
  readonly #container: TestContainer

  constructor(image: string, settings: BrokerSettings) {
    const variables = Object.entries(settings).map(([name, value]) => [variableOf(name), value])
    this.#container = new TestContainer({ image, environment: Object.fromEntries(variables) })
  }

  start(): Promise<void> {
    return this.#container.start()
  }

  async hasEnded(): Promise<boolean> {
    return !(await this.#container.isRunning())
  }

  output(): Promise<string> {
    return this.#container.output()
  }

  stop(): Promise<void> {
    return this.#container.stop()
  }

  /** Nothing can be asked of an engine at once: it stays. */
  endAtOnce(): void {}

  kill(): Promise<void> {
    return this.#container.kill()
  }

  freeze(): Promise<void> {
    return this.#container.freeze()
  }

  thaw(): Promise<void> {
    return this.#container.thaw()
  }

  /** What it keeps is in the container. */
  wipe(): Promise<void> {
    return this.#container.remove()
  }
}

/** `log.dirs` is KAFKA_LOG_DIRS. */
function variableOf(name: string): string {
  return `KAFKA_${name.replaceAll('.', '_').toUpperCase()}`
}
