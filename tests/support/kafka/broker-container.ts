/** For tests: a broker in a container, with settings by variables, as the public image has them. */
import { TestContainer } from '../containers/test-container.ts'
import type { BrokerRun, BrokerSettings } from './kafka-broker.ts'

export class BrokerContainer extends TestContainer implements BrokerRun {
  constructor(image: string, settings: BrokerSettings) {
    const variables = Object.entries(settings).map(([name, value]) => [variableOf(name), value])
    super({ image, environment: Object.fromEntries(variables) })
  }

  /** Nothing can be asked of an engine at once: it stays. */
  endAtOnce(): void {}

  /** What it keeps is in the container. */
  wipe(): Promise<void> {
    return this.remove()
  }
}

/** `log.dirs` is KAFKA_LOG_DIRS. */
function variableOf(name: string): string {
  return `KAFKA_${name.replaceAll('.', '_').toUpperCase()}`
}
