/** The Kafka that the settings name. */
import type { Bus } from '@svc/contracts/ports/bus'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { OpenResources } from '../core/open-resources.ts'
import type { Settings } from '../settings/settings.ts'
import { securityOf } from './kafka-security.ts'

/** @returns undefined when none is named; it connects when it is first used */
export async function openBus(settings: Settings, parts: OpenResources): Promise<Bus | undefined> {
  const { KAFKA_BROKERS: brokers } = settings
  if (brokers === undefined) return undefined
  // It is loaded only here, because a service without Kafka needs no client of it.
  const { KafkaBus } = await import('@svc/infra/bus/kafka/kafka-bus')
  const bus = new KafkaBus({ brokers, timer: systemTimer, security: securityOf(settings) })
  parts.add(() => bus.close())
  return bus
}
