/** Looks at topics, and makes none, for an operator who wants to know how they are. */
import { BusAwayError, type Subscription, type TopicPlan } from '@svc/contracts/ports/bus'
import { pause } from '@svc/contracts/ports/time'
import kafkajs, { type RetryOptions } from 'kafkajs'
import { checkedGroup } from './group-offsets.ts'
import { clientConfig, type KafkaBusOptions } from './kafka-bus.ts'
import { closed, failureOf, isOfKafka } from './kafka-failure.ts'
import { RETRIES } from './topic-reader.ts'
import { settingWarnings, unsafeSettings } from './topic-safety.ts'
import { stateOf } from './topic-setup.ts'

/** The first group of a cluster waits for the topic in which groups are kept. */
const LOOKS_MAX = 10
const LOOK_PAUSE_MS = 500

type Cluster = Omit<KafkaBusOptions, 'timer'>

export interface SeenTopic {
  readonly brokerCount: number
  readonly isThere: boolean
  /** Why it could lose or reorder records: then it is refused. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** Of a topic that we write. @throws {BusAwayError} @throws {BusRefusedError} */
export async function lookAtTopic({
  plan,
  ...cluster
}: Cluster & { readonly plan: TopicPlan }): Promise<SeenTopic> {
  const admin = adminOf(cluster, { retries: 0 })
  try {
    await admin.connect()
    const state = await stateOf(admin, plan.name)
    const { brokers } = await admin.describeCluster()
    return {
      brokerCount: brokers.length,
      isThere: state !== undefined,
      problems: state === undefined ? [] : unsafeSettings(state, plan.partitions),
      warnings: state === undefined ? [] : settingWarnings(state),
    }
  } catch (error) {
    throw failureOf(error)
  } finally {
    void closed(admin)
  }
}

/**
 * Of a topic that others write, and a group reads.
 *
 * @returns which records it dropped before the group took them, in words; null for none
 * @throws why the group would not be let read: there is no such topic, it is unsafe, a right lacks
 */
export async function lookAtSubscription({
  topic,
  group,
  timer,
  ...cluster
}: KafkaBusOptions & Pick<Subscription, 'topic' | 'group'>): Promise<string | null> {
  for (let looks = 1; ; looks += 1) {
    try {
      return (await checkedGroup(adminOf(cluster, RETRIES), { topic, group })).skipped
    } catch (error) {
      const failure = isOfKafka(error) ? failureOf(error) : error
      if (looks === LOOKS_MAX || !(failure instanceof BusAwayError)) throw failure
      await pause(timer, LOOK_PAUSE_MS)
    }
  }
}

function adminOf(cluster: Cluster, retry: RetryOptions) {
  return new kafkajs.Kafka({ ...clientConfig(cluster), retry }).admin()
}
