/**
 * The metrics that Prometheus users expect of every Node.js program: processor, memory, event loop,
 * GC.
 */
import { collectDefaultMetrics, Registry } from 'prom-client'

export class ProcessMetrics {
  readonly #registry = new Registry()

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }
}
