/**
 * What a relay looks at in a topic before it sends: its settings, whose records it has, and whether
 * it still has what the checkpoint counts.
 */
import type { BusTopic } from '@svc/contracts/ports/bus'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { FeedProgress } from './feed-progress.ts'
import { checkOwnTopic } from './own-topic.ts'

export interface TopicInspectionPorts {
  readonly store: Pick<EventStore, 'readStream'>
  readonly progress: Pick<FeedProgress, 'checkpoint' | 'lookForLosses'>
  readonly log: {
    warn(fields: object, message: string): void
    error(fields: object, message: string): void
  }
}

/** The inspections of one relay: what was logged of the topic is not logged again. */
export class TopicInspection {
  readonly #ports: TopicInspectionPorts
  /** The name of the topic. */
  readonly #name: string
  readonly #loggedWarnings = new Set<string>()
  /** At a later inspection, records that are not in the checkpoint may be this relay's own. */
  #isFirst = true

  constructor(name: string, ports: TopicInspectionPorts) {
    this.#name = name
    this.#ports = ports
  }

  /**
   * @param signal ends the look at the topic's records
   * @throws {OtherTopicError} when the topic has what did not happen in this log
   * @throws {BusAwayError}
   */
  async inspect(topic: BusTopic, signal: AbortSignal): Promise<void> {
    this.#logWarnings(topic)
    const ends = await topic.ends()
    if (this.#isFirst) {
      if (this.#hasMoreThanKnown(ends)) await checkOwnTopic(topic, this.#ports.store, signal)
      this.#isFirst = false
      this.#logNewBeginning(ends)
    }
    const { progress, log } = this.#ports
    const missing = progress.lookForLosses(ends)
    if (missing === null) return
    const fields = { topic: this.#name, missing }
    log.error(fields, 'the feed topic has lost records: svc feed check finds them')
  }

  #logWarnings({ warnings }: BusTopic): void {
    for (const reason of warnings) {
      if (this.#loggedWarnings.has(reason)) continue
      this.#loggedWarnings.add(reason)
      const fields = { topic: this.#name, reason }
      this.#ports.log.warn(fields, 'feed topic is set up otherwise than it should be')
    }
  }

  #hasMoreThanKnown(ends: readonly bigint[]): boolean {
    const known = this.#ports.progress.checkpoint?.ends ?? []
    return ends.some((end, partition) => end > (known[partition] ?? 0n))
  }

  /** A restored folder has no checkpoint, and the topic has what happened after the backup. */
  #logNewBeginning(ends: readonly bigint[]): void {
    const { progress, log } = this.#ports
    if (progress.checkpoint !== undefined || ends.every((end) => end === 0n)) return
    const reason = 'nothing says up to where it was sent: after a restore give it a new topic'
    log.warn({ topic: this.#name, reason }, 'the feed begins anew on a topic that has records')
  }
}
