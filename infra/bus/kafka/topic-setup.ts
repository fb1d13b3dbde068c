/** Finds or makes a topic. */
import { BusAwayError, type TopicPlan, UnsafeTopicError } from '@svc/contracts/ports/bus'
import { pause, type Timer } from '@svc/contracts/ports/time'
import kafkajs, { type Admin } from 'kafkajs'
import { typeOf } from './kafka-failure.ts'
import { newTopicSettings, REPLICAS, type TopicState, unsafeSettings } from './topic-safety.ts'

/** For a topic that was made, until the brokers know of it, its leaders among them. */
const LED_WITHIN_LOOKS = 20
const LED_PAUSE_MS = 100
const NOT_LED_YET = [
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
]

/** @returns undefined when there is no such topic */
export async function stateOf(admin: Admin, name: string): Promise<TopicState | undefined> {
  if (!(await isThere(admin, name))) return undefined
  const [{ brokers }, { topics }, settings] = await Promise.all([
    admin.describeCluster(),
    admin.fetchTopicMetadata({ topics: [name] }),
    settingsOf(admin, name),
  ])
  const partitions = topics[0]?.partitions ?? []
  return {
    brokers: brokers.length,
    partitions: partitions.length,
    replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
    settings,
  }
}

/** Asks for this topic alone. @throws what keeps that open */
export async function isThere(admin: Admin, name: string): Promise<boolean> {
  try {
    await admin.fetchTopicMetadata({ topics: [name] })
    return true
  } catch (error) {
    if (typeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION') return false
    throw error
  }
}

export async function settingsOf(admin: Admin, name: string): Promise<TopicState['settings']> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name }],
  })
  const entries = resources[0]?.configEntries ?? []
  return new Map(entries.map(({ configName, configValue }) => [configName, configValue]))
}

/**
 * A topic keeps for good the number of replicas that it was made with, and Kafka names only those
 * brokers that are alive: so it is made when all are there that it should have.
 *
 * @param cluster.named how many brokers the operator has named
 * @throws {UnsafeTopicError} with nothing made
 * @throws {BusAwayError} likewise, while a broker is away
 */
export async function made(
  admin: Admin,
  plan: TopicPlan,
  { named, timer }: { readonly named: number; readonly timer: Timer },
): Promise<TopicState> {
  const { brokers } = await admin.describeCluster()
  if (brokers.length < Math.min(named, REPLICAS)) {
    throw new BusAwayError(
      `${named} brokers are named and ${brokers.length} are there: the topic ${plan.name} is made ` +
        'when all of them are, with a replica on each of up to three',
    )
  }
  const { replicas, settings } = newTopicSettings(brokers.length)
  const state = { brokers: brokers.length, partitions: plan.partitions, replicas }
  const known = new Map([...Object.entries(settings), ['max.message.bytes', 'Infinity']] as const)
  const problems = unsafeSettings({ ...state, settings: known }, plan.partitions)
  if (problems.length > 0) throw new UnsafeTopicError(plan.name, problems)
  await admin.createTopics({
    // kafkajs waits for some leaders, and fails where a broker does not know of the topic yet.
    waitForLeaders: false,
    topics: [
      {
        topic: plan.name,
        numPartitions: plan.partitions,
        replicationFactor: replicas,
        configEntries: Object.entries(settings).map(([name, value]) => ({ name, value })),
      },
    ],
  })
  await untilLed(admin, plan.name, timer)
  const found = await stateOf(admin, plan.name)
  if (found === undefined) throw new BusAwayError(`the topic ${plan.name} was not made`)
  return found
}

/** A cluster tells of a new topic, and of its leaders, a moment before each of them knows of it. */
async function untilLed(admin: Admin, name: string, timer: Timer): Promise<void> {
  for (let looks = 1; ; looks += 1) {
    try {
      await admin.fetchTopicOffsets(name)
      return
    } catch (error) {
      if (looks === LED_WITHIN_LOOKS || !NOT_LED_YET.includes(typeOf(error))) throw error
      await pause(timer, LED_PAUSE_MS)
    }
  }
}
