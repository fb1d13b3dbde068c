/** Figures that others keep, written down for one scrape: none is older than the scrape itself. */
import { Counter, Gauge, Registry } from 'prom-client'
import type { MetricEntry } from './catalogue.ts'

export type Labels = Readonly<Record<string, string>>

/** @typeParam Name of the metrics that are on it, each with its heading also without a sample */
export class SampleSheet<Name extends string> {
  readonly #registry = new Registry()
  readonly #metrics: ReadonlyMap<string, Counter | Gauge>

  constructor(entries: Readonly<Record<Name, MetricEntry>>) {
    const metrics = new Map<string, Counter | Gauge>()
    for (const [name, { kind, labels, help }] of Object.entries<MetricEntry>(entries)) {
      const options = { name, help, labelNames: [...labels], registers: [this.#registry] }
      const metric = kind === 'counter' ? new Counter(options) : new Gauge(options)
      // A metric without labels begins at 0, which nobody has said.
      if (labels.length === 0) metric.remove({})
      metrics.set(name, metric)
    }
    this.#metrics = metrics
  }

  /** Writes a value. Is called once for a name and its labels. */
  write(name: Name, labels: Labels, value: number): void {
    this.#metrics.get(name)?.inc(labels, value)
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }
}
