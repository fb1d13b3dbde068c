/**
 * The events of the price list, kept beside the log: when the stream is damaged, prices go on as
 * they were last known. What is kept proves itself: it must chain to the events that still stand.
 */
import { pricingStream } from '@svc/contracts/events/pricing'
import { type NewEvent, NO_STREAM, type StreamHead } from '@svc/contracts/ports/event-store'
import { chained } from '@svc/contracts/ports/hash-chain'
import type { SnapshotStore } from '@svc/contracts/ports/snapshot-store'

const SCHEMA = 'pricing-events/1'
/** More are not kept: some 8 MB of text. */
const EVENTS_MAX = 10_000

export class KeptPrices {
  readonly #snapshots: SnapshotStore
  #savedRevision = -1

  constructor(snapshots: SnapshotStore) {
    this.#snapshots = snapshots
  }

  /** @param events all of the stream, from its first to the head */
  save(events: readonly NewEvent[], head: StreamHead): void {
    if (head.revision <= this.#savedRevision || events.length > EVENTS_MAX) return
    const texts = events.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }))
    const state = JSON.stringify(texts)
    if (this.#snapshots.save({ stream: pricingStream, head, schema: SCHEMA, state })) {
      this.#savedRevision = head.revision
    }
  }

  /** The events behind a head of the stream; none when what is kept does not chain to it. */
  behind(head: StreamHead): readonly NewEvent[] {
    const snapshot = this.#snapshots.load(pricingStream)
    if (snapshot === undefined || snapshot.schema !== SCHEMA) return []
    const events = parsed(snapshot.state)
    const links = chained(NO_STREAM, pricingStream, events)
    const isWhole = links.at(-1)?.hash === snapshot.head.hash
    const isSameBefore = head.revision < 0 || links[head.revision]?.hash === head.hash
    return isWhole && isSameBefore ? events.slice(head.revision + 1) : []
  }
}

/** Reads what was kept. The hash chain shows whether it is what it should be. */
function parsed(state: string): readonly NewEvent[] {
  try {
    const events: unknown = JSON.parse(state)
    return Array.isArray(events) ? events : []
  } catch {
    return []
  }
}
