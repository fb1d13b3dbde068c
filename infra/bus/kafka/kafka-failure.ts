/** What kafkajs throws, in the words of the port. */
import { messageOf } from '@svc/contracts/error-message'
import { BusAwayError, BusRefusedError } from '@svc/contracts/ports/bus'

/** No repetition helps: someone has to act. */
const PERMANENT = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_TIMESTAMP',
  'INVALID_RECORD',
])
/** What a name of Kafka's leaves open, and an operator has to know. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['LEADER_NOT_AVAILABLE', 'for a partition of the topic'],
  [
    'TOPIC_AUTHORIZATION_FAILED',
    'the user lacks a right on the topic, such as Describe, DescribeConfigs, Create, Write or Read',
  ],
  [
    'CLUSTER_AUTHORIZATION_FAILED',
    'the user lacks the right Write on the topic, and IdempotentWrite on the cluster',
  ],
  ['GROUP_AUTHORIZATION_FAILED', 'the user lacks the right Read on the consumer group'],
])

/** kafkajs finds no coordinator also where it is kept from the user, and does not say why. */
const NO_COORDINATOR = 'KafkaJSGroupCoordinatorNotFound'
const NO_COORDINATOR_HINT = 'a user without the right Read on the group is answered like this'

/** Brokers and clients that disagree on TLS only see that a connection ends. */
const CLOSED_HINT = 'a broker with TLS ends it like this while SVC_KAFKA_TLS is off'
const BEFORE_TLS = 'before secure TLS connection was established'
const BEFORE_TLS_HINT = 'a broker without TLS ends it like this while SVC_KAFKA_TLS is on'

/** Waits for what is under way, for 30 s where a broker is frozen: bounded by whoever awaits it. */
export async function closed(client: { disconnect(): Promise<void> }): Promise<void> {
  await client.disconnect().catch(() => {})
}

/** @returns what a caller of the port is thrown */
export function failureOf(error: unknown): Error {
  if (error instanceof BusAwayError) return error
  const type = typeOf(error)
  if (isPermanent(type) || namesOf(error).includes('KafkaJSSASLAuthenticationError')) {
    return new BusRefusedError(`Kafka refuses: ${kafkaReason(error)}`, { cause: error })
  }
  return new BusAwayError(`Kafka does not answer: ${kafkaReason(error)}`, { cause: error })
}

/** Whether nobody answers for a group, as where the user has no right on it. */
export function lacksCoordinator(error: unknown): boolean {
  return namesOf(error).includes(NO_COORDINATOR)
}

export function isOfKafka(error: unknown): boolean {
  return namesOf(error).some((name) => name.startsWith('KafkaJS'))
}

interface KafkaError {
  readonly type?: string
  readonly cause?: unknown
  /** One for each topic that could not be made. */
  readonly errors?: readonly unknown[]
}

/**
 * Finds the type of what the broker said. kafkajs wraps errors, so it stands on the error or on one
 * of its causes.
 */
export function typeOf(error: unknown): string {
  const { type, cause, errors } = error as KafkaError
  if (type !== undefined) return type
  const reason = cause ?? errors?.[0]
  return reason instanceof Error ? typeOf(reason) : ''
}

function namesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return []
  return [error.name, ...namesOf(error.cause)]
}

export function kafkaReason(error: unknown): string {
  const type = typeOf(error)
  const hint = HINTS.get(type)
  if (hint !== undefined) return `${type}: ${hint}`
  if (type !== '') return type
  const words = messageOf(error)
  if (lacksCoordinator(error)) return `${words}: ${NO_COORDINATOR_HINT}`
  if (words.includes(BEFORE_TLS)) return `${words}: ${BEFORE_TLS_HINT}`
  return namesOf(error).includes('KafkaJSConnectionClosedError')
    ? `${words}: ${CLOSED_HINT}`
    : words
}

export function isPermanent(type: string): boolean {
  return PERMANENT.has(type)
}
