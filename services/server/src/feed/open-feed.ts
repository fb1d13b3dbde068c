/** Sends the events of the ledger to Kafka, where one is named. */
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import { Relay } from '@svc/relay/relay'
import type { Logger } from 'pino'
import type { Core } from '../core/core.ts'
import type { OpenResources } from '../core/open-resources.ts'
import type { DataFolder } from '../data-folder/data-folder.ts'
import type { Settings } from '../settings/settings.ts'

export interface FeedSurroundings {
  readonly settings: Settings
  readonly folder: DataFolder
  readonly logger: Logger
  /** Takes what has to be closed again. */
  readonly parts: OpenResources
}

/**
 * Starts the relay. No request ever waits for it, and nothing of it ends the server.
 *
 * @returns undefined when no Kafka is named
 */
export async function openFeed(
  { settings, folder, logger, parts }: FeedSurroundings,
  { store, pace }: Core,
): Promise<Relay | undefined> {
  const { KAFKA_BROKERS: brokers } = settings
  if (brokers === undefined) return undefined
  // Loaded only here: a service without Kafka needs no client of it.
  const { KafkaBus } = await import('@svc/infra/bus/kafka/kafka-bus')
  const bus = new KafkaBus({ brokers, timer: systemTimer, security: securityOf(settings) })
  parts.add(() => bus.close())
  const relay = new Relay({
    store,
    bus,
    plan: { name: settings.SVC_KAFKA_TOPIC, partitions: settings.SVC_KAFKA_PARTITIONS },
    checkpoints: folder.feed,
    pace,
    clock: systemClock,
    timer: systemTimer,
    log: logger,
  })
  relay.start()
  parts.add(() => relay.stop())
  return relay
}

function securityOf({
  SVC_KAFKA_TLS: tls,
  SVC_KAFKA_SASL: mechanism,
  SVC_KAFKA_USERNAME: username,
  SVC_KAFKA_PASSWORD: password,
}: Settings) {
  const isWhole = mechanism !== undefined && username !== undefined && password !== undefined
  return {
    tls: tls === 'on',
    login: isWhole ? { mechanism, username, password } : undefined,
  }
}
