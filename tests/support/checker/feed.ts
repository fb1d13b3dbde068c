import { accountOfStream } from '@svc/contracts/events/account'
import { pricingStream } from '@svc/contracts/events/pricing'
import type { ReceivedRecord } from '@svc/contracts/ports/bus'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { Violation } from './violation.ts'

/**
 * I13: the topic has every event about money at least once, under the key of its account, and the
 * first copies of each key in the order of the stream. What comes again is the same event again.
 *
 * @param records in order within each partition
 */
export function feedViolations(
  records: readonly ReceivedRecord[],
  events: readonly RecordedEvent[],
): readonly Violation[] {
  const violations: Violation[] = []
  const report = (subject: string, problem: string): void => {
    violations.push({ invariant: 'I13', subject, problem })
  }
  const expected = new Map(events.flatMap((event) => entryOf(event)))
  const followers = new Map<string, KeyFollower>()
  for (const record of records) {
    const entry = expected.get(record.headers.id ?? '')
    const subject = `${record.key}@${record.headers.revision}`
    if (entry === undefined) report(subject, 'is in the feed, and not in the log')
    else if (!isSame(record, entry)) report(subject, 'is in the feed as something else')
    else {
      const follower = followers.get(record.key) ?? new KeyFollower(record.partition)
      followers.set(record.key, follower)
      const problem = follower.take(record, entry.event)
      if (problem !== undefined) report(subject, problem)
    }
  }
  for (const { key, event } of expected.values()) {
    if (followers.get(key)?.has(event) === true) continue
    report(`${key}@${event.revision}`, 'is missing in the feed')
  }
  return violations
}

interface Entry {
  readonly key: string
  readonly event: RecordedEvent
}

/** Follows the first copies of one key. */
class KeyFollower {
  readonly #partition: number
  #next = 0

  constructor(partition: number) {
    this.#partition = partition
  }

  has({ revision }: RecordedEvent): boolean {
    return revision < this.#next
  }

  take({ partition }: ReceivedRecord, { revision }: RecordedEvent): string | undefined {
    if (partition !== this.#partition) return `is in partition ${partition} of the feed`
    if (revision > this.#next) return `comes in the feed where ${this.#next} is due`
    if (revision === this.#next) this.#next += 1
    return undefined
  }
}

function entryOf(event: RecordedEvent): readonly (readonly [string, Entry])[] {
  const { stream, id } = event
  const key = stream === pricingStream ? 'pricing' : accountOfStream(stream)
  return key === undefined ? [] : [[id, { key, event }]]
}

function isSame({ key, headers }: ReceivedRecord, { key: expected, event }: Entry): boolean {
  return (
    key === expected &&
    headers.hash === event.hash &&
    headers.type === event.type &&
    headers.revision === `${event.revision}` &&
    headers.position === `${event.position}`
  )
}
