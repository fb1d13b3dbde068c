/** Looks at the topic of the feed, and makes none, for an operator who wants to know how it is. */
import type { TopicPlan } from '@svc/contracts/ports/bus'
import kafkajs from 'kafkajs'
import { clientConfig, type KafkaBusOptions } from './kafka-bus.ts'
import { closed, failureOf } from './kafka-failure.ts'
import { settingWarnings, unsafeSettings } from './topic-safety.ts'
import { stateOf } from './topic-setup.ts'

export interface SeenTopic {
  readonly brokerCount: number
  readonly isThere: boolean
  /** Why it could lose or reorder events; the feed refuses it then. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** @throws {BusAwayError} @throws {BusRefusedError} */
export async function lookAtTopic({
  plan,
  ...options
}: Omit<KafkaBusOptions, 'timer'> & { readonly plan: TopicPlan }): Promise<SeenTopic> {
  const admin = new kafkajs.Kafka({ ...clientConfig(options), retry: { retries: 0 } }).admin()
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
