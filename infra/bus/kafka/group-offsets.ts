/** Whether a group can go on in a topic where it stopped. */
import { type Subscription, UnsafeTopicError } from '@svc/contracts/ports/bus'
import type { Admin } from 'kafkajs'
import { closed } from './kafka-failure.ts'
import { stateOf } from './topic-setup.ts'

/** Kafka's word for a partition of which the group has taken nothing. */
const NOTHING_TAKEN = -1n

/**
 * @returns what the topic dropped before the group had taken it, in words
 * @throws when the topic is not there, or would drop records by itself
 */
export async function checkedGroup(
  admin: Admin,
  { topic, group: groupId }: Pick<Subscription, 'topic' | 'group'>,
): Promise<{ readonly skipped: string | null }> {
  try {
    await admin.connect()
    const state = await stateOf(admin, topic)
    if (state === undefined) throw new Error(`there is no topic ${topic}`)
    if (state.settings.get('cleanup.policy') !== 'delete') {
      const problem = 'cleanup.policy must be delete: compaction drops all but the last of a key'
      throw new UnsafeTopicError(topic, [problem])
    }
    const [ends, taken] = await Promise.all([
      admin.fetchTopicOffsets(topic),
      admin.fetchOffsets({ groupId, topics: [topic] }),
    ])
    const offsets = new Map(
      taken[0]?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)] as const),
    )
    const gaps = ends.flatMap(({ partition, low }) => {
      const next = offsets.get(partition) ?? NOTHING_TAKEN
      const first = BigInt(low)
      if (next === NOTHING_TAKEN || next >= first) return []
      return [`${first - next} records of partition ${partition} from offset ${next} on`]
    })
    return { skipped: gaps.length === 0 ? null : gaps.join(', ') }
  } finally {
    void closed(admin)
  }
}
