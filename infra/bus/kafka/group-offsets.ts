/** Whether a group can go on in a topic where it stopped. */
import { type Subscription, UnsafeTopicError } from '@svc/contracts/ports/bus'
import type { Admin } from 'kafkajs'
import { closed } from './kafka-failure.ts'
import type { PartitionOffsets } from './topic-reader.ts'
import { isThere, settingsOf } from './topic-setup.ts'

export interface GroupPlace {
  /** What the topic dropped before the group had taken it, in words. */
  readonly skipped: string | null
  /**
   * The first record that the group has not taken, for each partition of which it took anything.
   */
  readonly next: ReadonlyMap<number, bigint>
  /** What the topic still has of the records that the group has taken. */
  readonly taken: readonly PartitionOffsets[]
}

/** @throws when the topic is not there, or would drop records by itself */
export async function checkedGroup(
  admin: Admin,
  { topic, group: groupId }: Pick<Subscription, 'topic' | 'group'>,
): Promise<GroupPlace> {
  try {
    await admin.connect()
    if (!(await isThere(admin, topic))) {
      throw new Error(`there is no topic ${topic}: make it, or name another`)
    }
    const ends = await admin.fetchTopicOffsets(topic)
    const settings = await settingsOf(admin, topic)
    if (settings.get('cleanup.policy') !== 'delete') {
      const problem = 'cleanup.policy must be delete: compaction drops all but the last of a key'
      throw new UnsafeTopicError(topic, [problem])
    }
    const [offsetsOfTopic] = await admin.fetchOffsets({ groupId, topics: [topic] })
    const offsets = offsetsOfTopic?.partitions ?? []
    const next = new Map(
      offsets
        .map(({ partition, offset }) => [partition, BigInt(offset)] as const)
        // Offsets below zero are Kafka's words for a partition of which nothing was taken.
        .filter(([, offset]) => offset >= 0n),
    )
    const gaps = ends.flatMap(({ partition, low }) => {
      return gapOf(partition, next.get(partition), BigInt(low)) ?? []
    })
    const taken = ends.map(({ partition, low, high: end }) => {
      const high = next.get(partition) ?? 0n
      return { partition, low: BigInt(low), high: high < BigInt(end) ? high : BigInt(end) }
    })
    return { skipped: gaps.length === 0 ? null : gaps.join(', '), next, taken }
  } finally {
    void closed(admin)
  }
}

/** @returns what of a partition was dropped from `next` on, in words */
export async function droppedFrom(
  admin: Admin,
  topic: string,
  partition: number,
  next: bigint,
): Promise<string | null> {
  try {
    await admin.connect()
    const ends = await admin.fetchTopicOffsets(topic)
    const found = ends.find((end) => end.partition === partition)
    return gapOf(partition, next, BigInt(found?.low ?? 0)) ?? null
  } finally {
    void closed(admin)
  }
}

function gapOf(partition: number, next: bigint | undefined, first: bigint): string | undefined {
  if (next === undefined || next >= first) return undefined
  return `${first - next} records of partition ${partition} from offset ${next} on`
}
