/**
 * What one process of the service does beside opening the log. Everything in one process is the
 * default; on a log that processes share each role can run apart, any number of times.
 */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import type { Feed } from '@svc/operator/feed/feed'
import type { Core } from '../core/core.ts'
import type { FeedSurroundings } from '../feed/open-feed.ts'
import type { LogLocation } from '../settings/log-location.ts'
import { SettingsError } from '../settings/parsed-settings.ts'
import type { Settings } from '../settings/settings.ts'

export type RoleName = 'all' | 'gateway' | 'projector' | 'relay' | 'sweeper'

export interface RoleSurroundings extends FeedSurroundings {
  readonly reach: ReachCrashPoint
}

export interface Role {
  readonly name: RoleName
  /** Whether clients' requests run here, on the workers of this process. */
  readonly isGateway: boolean
  /** Whether people sign in here, where they may at all. */
  readonly hasDashboard: boolean
  /**
   * Starts what the role does all the time, and gives `parts` what stops it.
   *
   * @returns the feed, where this process is the one that sends it
   */
  start(surroundings: RoleSurroundings, core: Core): Promise<Feed | undefined>
}

/** @throws {SettingsError} when the settings leave the role nothing to do, or no right to */
export function checkRole({ name }: Role, settings: Settings, place: LogLocation): void {
  if (name !== 'gateway' && settings.SVC_VIEWS_URL !== undefined) {
    throw new SettingsError('SVC_VIEWS_URL is for svc start gateway: every other role has views')
  }
  if (name === 'all') return
  if (place.kind === 'sqlite') {
    throw new SettingsError(
      `svc start ${name} runs beside other processes, and a ledger in a file has one process: set EVENTSTORE_URL, or run svc start`,
    )
  }
  if (name === 'relay' && settings.KAFKA_BROKERS === undefined) {
    throw new SettingsError('svc start relay sends the ledger to Kafka: set KAFKA_BROKERS')
  }
}
