/** What kafkajs throws, in the words of the port. */
import { BusAwayError, BusRefusedError } from '@svc/contracts/ports/bus'

/** No repetition helps: someone has to act. */
const PERMANENT = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_TIMESTAMP',
  'INVALID_RECORD',
])
/** Waits for what is under way, for 30 s where a broker is frozen: bounded by whoever awaits it. */
export async function closed(client: { disconnect(): Promise<void> }): Promise<void> {
  await client.disconnect().catch(() => {})
}

/** @returns what a caller of the port is thrown */
export function failureOf(error: unknown): Error {
  if (error instanceof BusAwayError) return error
  const type = typeOf(error)
  if (isPermanent(type) || namesOf(error).includes('KafkaJSSASLAuthenticationError')) {
    return new BusRefusedError(`Kafka refuses: ${wordsOf(error)}`, { cause: error })
  }
  return new BusAwayError(`Kafka does not answer: ${wordsOf(error)}`, { cause: error })
}

export function isOfKafka(error: unknown): boolean {
  return namesOf(error).some((name) => name.startsWith('KafkaJS'))
}

/**
 * Finds the type of what the broker said. kafkajs wraps errors, so it stands on the error or on one
 * of its causes.
 */
export function typeOf(error: unknown): string {
  const { type, cause } = error as { type?: string; cause?: unknown }
  if (type !== undefined) return type
  return cause instanceof Error ? typeOf(cause) : ''
}

function namesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return []
  return [error.name, ...namesOf(error.cause)]
}

export function wordsOf(error: unknown): string {
  const type = typeOf(error)
  if (type === 'LEADER_NOT_AVAILABLE') return `${type}, for a partition of the topic`
  return type || (error instanceof Error ? error.message : String(error))
}

export function isPermanent(type: string): boolean {
  return PERMANENT.has(type)
}
