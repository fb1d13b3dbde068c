/** Payments that are taken from a topic, as operators see it. */
import type { ServiceStatus } from '@svc/contracts/admin/workers'

export interface TopUps {
  status(): {
    readonly topic: string
    readonly group: string
    readonly deadLetterTopic: string
    /** Of this server since its start, as the next two. */
    readonly granted: number
    readonly repeated: number
    readonly dead: number
    /** Records of this server's partitions that are not taken yet, as far as it was told. */
    readonly waiting: bigint
    /** What keeps payments from being granted, in words; null while all is well. */
    readonly trouble: string | null
    /** What the topic dropped before it was taken, in words. */
    readonly skipped: string | null
  }
}

export function topUpDetails(topUps: TopUps | undefined): ServiceStatus['top_ups'] {
  if (topUps === undefined) return null
  const { topic, group, deadLetterTopic, waiting, trouble, skipped, ...counts } = topUps.status()
  return {
    topic,
    group,
    dead_letter_topic: deadLetterTopic,
    ...counts,
    waiting: `${waiting}`,
    problems: [
      ...(trouble === null ? [] : [`Top-ups are not taken: ${trouble}`]),
      ...(skipped === null ? [] : [`Top-ups were lost before they were taken: ${skipped}`]),
    ],
  }
}
