/** Where the events of the ledger are sent, for other systems: to a topic of Kafka, or nowhere. */
import { isPowerOfTwo } from '@svc/infra/bus/key-partition'
import { oneOf, text, whole } from '@svc/worker/settings/worker-variables'
import { z } from 'zod'

const BROKERS_MAX = 64
const PARTITIONS_MAX = 1024
const BROKER = /^(\[[0-9a-f:]+\]|[\w.-]+):\d{1,5}$/i
/** What Kafka takes as the name of a topic. */
const TOPIC_CHARACTERS_MAX = 249
/** Room for `.dead`, the topic beside it. */
const TOPUPS_CHARACTERS_MAX = 244

const brokers = z
  .string()
  .transform((given) => (given === '' ? undefined : given.split(',').map((part) => part.trim())))
  .pipe(
    z
      .array(z.string().regex(BROKER, 'must be host:port, separated by commas'))
      .max(BROKERS_MAX, `must be ${BROKERS_MAX} brokers at most`)
      .optional(),
  )

function nameOf(charactersMax: number) {
  const problem = `must be letters, digits, ".", "_" and "-", ${charactersMax} at most`
  return z.string().regex(new RegExp(`^[\\w.-]{1,${charactersMax}}$`), problem)
}

export const feedVariables = {
  /** `host:port`, comma-separated: every event of the ledger is sent there. */
  KAFKA_BROKERS: brokers.optional(),
  SVC_KAFKA_TOPIC: nameOf(TOPIC_CHARACTERS_MAX).default('svc.ledger'),
  /** The topic's partitions, for ever: another number would move accounts. */
  SVC_KAFKA_PARTITIONS: whole(1, PARTITIONS_MAX)
    .refine(isPowerOfTwo, 'must be a power of two, such as 8')
    .default(8),
  /**
   * The topic where another system writes payments, which become grants. Without it none are taken.
   */
  SVC_KAFKA_TOPUPS_TOPIC: nameOf(TOPUPS_CHARACTERS_MAX).optional(),
  /** Servers of one group share the payments. */
  SVC_KAFKA_TOPUPS_GROUP: nameOf(TOPIC_CHARACTERS_MAX).default('svc-topups'),
  /** Whether the brokers are spoken to over TLS; Node.js must trust their certificate. */
  SVC_KAFKA_TLS: oneOf(['on', 'off']).default('off'),
  /** How the service signs in there, with the user and the password. */
  SVC_KAFKA_SASL: oneOf(['plain', 'scram-sha-256', 'scram-sha-512']).optional(),
  SVC_KAFKA_USERNAME: text.optional(),
  /** The password is never shown. */
  SVC_KAFKA_PASSWORD: text.optional(),
}

type FeedSettings = z.output<z.ZodObject<typeof feedVariables>>

/** @returns what to say of settings that only make sense together */
export function feedProblem(settings: FeedSettings): string | undefined {
  const { SVC_KAFKA_TOPUPS_TOPIC: topUps, SVC_KAFKA_TOPIC: events } = settings
  if (topUps !== undefined && settings.KAFKA_BROKERS === undefined) {
    return 'SVC_KAFKA_TOPUPS_TOPIC needs KAFKA_BROKERS: name the brokers that have the topic'
  }
  if (topUps === events) return 'SVC_KAFKA_TOPUPS_TOPIC and SVC_KAFKA_TOPIC must be two topics'
  const login = [settings.SVC_KAFKA_SASL, settings.SVC_KAFKA_USERNAME, settings.SVC_KAFKA_PASSWORD]
  const given = login.filter((setting) => setting !== undefined).length
  if (given === 0 || given === login.length) return undefined
  return 'SVC_KAFKA_SASL, SVC_KAFKA_USERNAME and SVC_KAFKA_PASSWORD go together: set all or none'
}
