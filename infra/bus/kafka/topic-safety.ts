/** Which settings of a topic keep what the port promises, and what a new topic is made with. */
import { counted } from '@svc/contracts/counted'
import { isPowerOfTwo } from '../key-partition.ts'

export interface TopicState {
  readonly brokers: number
  readonly partitions: number
  /** Replicas of the partition that has the fewest. */
  readonly replicas: number
  readonly settings: ReadonlyMap<string, string>
}

/** Copies of each record, where there are brokers for them. */
export const REPLICAS = 3
/** Replicas that have a record before it is acknowledged. */
const REPLICAS_IN_SYNC = 2
/** The bytes that a topic must accept: our largest batch with what Kafka adds to it. */
const BATCH_BYTES_MIN = 768 * 1024
/** Codecs that every client library reads. */
const PLAIN_CODECS = ['producer', 'uncompressed', 'gzip']

/** @returns what would lose or reorder records, in words that say what to do */
export function unsafeSettings(state: TopicState, partitions: number): readonly string[] {
  const { settings, replicas, brokers } = state
  const problems: string[] = []
  if (!isPowerOfTwo(partitions)) problems.push(`${partitions} partitions are no power of two`)
  if (state.partitions !== partitions) {
    const has = counted(state.partitions, 'partition')
    problems.push(
      `it has ${has} and needs ${partitions}, and the number is a part of the order of each ` +
        'account: make or name another topic, or where the number is a setting, set that of this one',
    )
  }
  if (settings.get('cleanup.policy') !== 'delete') {
    problems.push('cleanup.policy must be delete: compaction drops all but the last of an account')
  }
  if (settings.get('unclean.leader.election.enable') === 'true') {
    problems.push('unclean.leader.election.enable must be false: it drops acknowledged records')
  }
  if (brokers >= REPLICAS && replicas < REPLICAS) {
    const has = counted(replicas, 'replica')
    problems.push(`it has ${has} and needs ${REPLICAS}: a broker that dies takes it`)
  }
  if (replicas >= REPLICAS && numberOf(settings, 'min.insync.replicas') < REPLICAS_IN_SYNC) {
    problems.push(`min.insync.replicas must be ${REPLICAS_IN_SYNC} or more`)
  }
  if (numberOf(settings, 'max.message.bytes') < BATCH_BYTES_MIN) {
    problems.push(`max.message.bytes must be ${BATCH_BYTES_MIN} or more`)
  }
  return problems
}

/** @returns what an operator should know, a sentence each */
export function settingWarnings({ settings, replicas }: TopicState): readonly string[] {
  const warnings: string[] = []
  if (replicas < REPLICAS && settings.get('flush.messages') !== '1') {
    const has = counted(replicas, 'replica')
    warnings.push(`with ${has} and without flush.messages=1 a power cut loses acknowledged records`)
  }
  const codec = settings.get('compression.type') ?? 'producer'
  if (!PLAIN_CODECS.includes(codec)) {
    warnings.push(`compression.type=${codec} cannot be read by every client, this one included`)
  }
  return warnings
}

/**
 * The settings of a topic that is made. It keeps all records, because who folds the feed begins at
 * the first.
 */
export function newTopicSettings(brokers: number): {
  readonly replicas: number
  readonly settings: Readonly<Record<string, string>>
} {
  const replicas = Math.min(brokers, REPLICAS)
  const isReplicated = replicas === REPLICAS
  return {
    replicas,
    settings: {
      'cleanup.policy': 'delete',
      'retention.ms': '-1',
      'retention.bytes': '-1',
      'unclean.leader.election.enable': 'false',
      'min.insync.replicas': isReplicated ? String(REPLICAS_IN_SYNC) : '1',
      ...(isReplicated ? {} : { 'flush.messages': '1' }),
    },
  }
}

function numberOf(settings: TopicState['settings'], name: string): number {
  return Number(settings.get(name) ?? 0)
}
