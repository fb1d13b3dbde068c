/** Payments that are taken from a topic, as operators see it. */
import type { ServiceStatus } from '@svc/contracts/admin/workers'

export interface TopUps {
  status(): {
    readonly topic: string
    readonly group: string
    readonly deadLetterTopic: string
    /** Counts since the start of this server, as the next two do. */
    readonly granted: number
    readonly repeated: number
    readonly dead: number
    /** Records of this server's partitions that are not taken yet; null while nobody knows. */
    readonly waiting: bigint | null
    /** Says in words what keeps payments from being granted; null while all is well. */
    readonly trouble: string | null
    /** Says in words what the topic dropped before it was taken. */
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
    waiting: waiting === null ? null : `${waiting}`,
    problems: [
      ...(trouble === null ? [] : [`Top-ups are not taken: ${trouble}`]),
      ...(skipped === null ? [] : [`Top-ups were lost before they were taken: ${skipped}`]),
    ],
  }
}
