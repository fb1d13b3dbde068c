/** Sends the events of the ledger to Kafka, where one is named, and takes payments from there. */
import { TOP_UPS_ACTOR } from '@svc/contracts/events/actors'
import type { Bus } from '@svc/contracts/ports/bus'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { Feed } from '@svc/operator/feed/feed'
import {
  grantOperation,
  previewGrantOperation,
} from '@svc/operator/operations/credit/grant-operation'
import { Relay } from '@svc/relay/relay'
import { TopUps } from '@svc/relay/top-ups'
import type { Logger } from 'pino'
import type { Core } from '../core/core.ts'
import type { OpenResources } from '../core/open-resources.ts'
import type { DataFolder } from '../data-folder/data-folder.ts'
import type { Settings } from '../settings/settings.ts'
import { openBus } from './open-bus.ts'

export interface FeedSurroundings {
  readonly settings: Settings
  readonly folder: DataFolder
  readonly logger: Logger
  /** Takes what has to be closed again. */
  readonly parts: OpenResources
}

/**
 * Starts the relay, and the top-ups where their topic is named. No request ever waits for them, and
 * nothing of them ends the server.
 *
 * @returns undefined when no Kafka is named
 */
export async function openFeed(
  surroundings: FeedSurroundings,
  core: Core,
): Promise<Feed | undefined> {
  const { settings, folder, logger, parts } = surroundings
  const bus = await openBus(settings, parts)
  if (bus === undefined) return undefined
  const relay = new Relay({
    store: core.store,
    pace: core.pace,
    bus,
    plan: { name: settings.SVC_KAFKA_TOPIC, partitions: settings.SVC_KAFKA_PARTITIONS },
    checkpoints: folder.feed,
    lowBalance: settings.SVC_LOW_BALANCE,
    clock: systemClock,
    timer: systemTimer,
    log: logger,
  })
  relay.start()
  parts.add(() => relay.stop())
  const topUps = openTopUps(surroundings, bus, core)
  return {
    status: () => relay.status(),
    check: (options) => relay.check(options),
    resend: (options) => relay.resend(options),
    topUps,
  }
}

function openTopUps(
  { settings, logger, parts }: FeedSurroundings,
  bus: Bus,
  { ledger }: Core,
): TopUps | undefined {
  const { SVC_KAFKA_TOPUPS_TOPIC: topic, SVC_KAFKA_TOPUPS_GROUP: group } = settings
  if (topic === undefined) return undefined
  const topUps = new TopUps({ bus, topic, group, timer: systemTimer, log: logger })
  const caller = { actor: TOP_UPS_ACTOR }
  topUps.start(grantOperation(ledger, caller), previewGrantOperation(ledger, caller))
  parts.add(() => topUps.stop())
  return topUps
}
