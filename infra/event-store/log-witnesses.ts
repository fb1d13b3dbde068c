/** What remembers single events of a log: views by their checkpoint, snapshots by their head. */
import type { RecordedEvent } from '@svc/contracts/ports/event-store'

export interface LogWitness {
  /** What remembers the event, in words: `the view accounts`. */
  readonly source: string
  readonly stream: string
  readonly revision: number
  readonly hash: string
  /**
   * A cache may remember a stream of another log: then it says nothing about this one, unless this
   * one has a stream of that name.
   */
  readonly onlyIfStreamExists?: boolean
}

export class Witnesses {
  readonly #waiting = new Map<string, LogWitness[]>()
  readonly #streamsSeen = new Set<string>()
  readonly #differing: LogWitness[] = []

  add(witness: LogWitness): void {
    const known = this.#waiting.get(witness.stream)
    if (known === undefined) this.#waiting.set(witness.stream, [witness])
    else known.push(witness)
  }

  compare({ stream, revision, hash }: RecordedEvent): void {
    const waiting = this.#waiting.get(stream)
    if (waiting === undefined) return
    this.#streamsSeen.add(stream)
    const met = waiting.filter((witness) => witness.revision === revision)
    if (met.length === 0) return
    this.#differing.push(...met.filter((witness) => witness.hash !== hash))
    this.#waiting.set(
      stream,
      waiting.filter((witness) => witness.revision !== revision),
    )
  }

  /** The witnesses whose event did not come, whether or not it had to. */
  get unmet(): readonly LogWitness[] {
    return [...this.#waiting.values()].flat()
  }

  /** The witnesses whose event is another one, and those whose event did not come. */
  get contradicted(): readonly LogWitness[] {
    const unmet = this.unmet.filter(
      ({ stream, onlyIfStreamExists }) =>
        onlyIfStreamExists !== true || this.#streamsSeen.has(stream),
    )
    return [...this.#differing, ...unmet]
  }
}
