/** Makes samples of the event log, the views that follow it, and what goes to and from Kafka. */
import type { KeptVerification } from '@svc/contracts/admin/verification'
import type { EventStore, Position } from '@svc/contracts/ports/event-store'
import type { Quarantine } from '@svc/contracts/ports/quarantine'
import type { StoreHealth } from '@svc/contracts/ports/store-health'
import type { Clock } from '@svc/contracts/ports/time'
import { inTime } from '@svc/infra/system/system-timer'
import type { Projections } from '@svc/projections/open-projections'
import { type Feed, lagOf } from '../feed/feed.ts'
import type { TopUps } from '../feed/top-ups.ts'
import { overdueHolds } from '../operations/credit/overdue-holds.ts'
import { STATE_TIMEOUT_MS } from '../workers/worker-fleet.ts'
import { ledgerMetrics } from './catalogue.ts'
import { SampleSheet } from './sample-sheet.ts'

const MS_PER_SECOND = 1_000

export interface LedgerSources {
  readonly store: Pick<EventStore, 'lastPosition'>
  readonly storeHealth: StoreHealth
  readonly projections: Pick<Projections, 'lastStatus'> & {
    readonly views: Pick<Projections['views'], 'accountTotals' | 'holds'>
  }
  /** Is undefined where no Kafka is named. */
  readonly feed: Feed | undefined
  readonly quarantine: Pick<Quarantine, 'list'>
  /** The clock that deadlines of holds are told by. */
  readonly clock: Clock
}

type Sheet = SampleSheet<keyof typeof ledgerMetrics>

/**
 * A store on a network may be away: then its end, and how far others are behind it, are absent. It
 * is asked for its end once.
 */
export async function ledgerSamples(sources: LedgerSources): Promise<Sheet> {
  const { projections, store, storeHealth, feed, quarantine } = sources
  const sheet: Sheet = new SampleSheet(ledgerMetrics)
  const head = await inTime(store.lastPosition(), STATE_TIMEOUT_MS, undefined)
  const takesNothing = storeHealth.troubles().some(({ notReady }) => notReady !== undefined)
  sheet.write('svc_event_log_healthy', {}, head === undefined || takesNothing ? 0 : 1)
  if (head !== undefined) sheet.write('svc_event_log_position', {}, Number(head))
  sheet.write('svc_quarantined_streams', {}, quarantine.list().length)
  for (const { name, state, position } of projections.lastStatus()) {
    const of = { projection: name }
    sheet.write('svc_projection_healthy', of, state === 'live' || state === 'catching-up' ? 1 : 0)
    if (head !== undefined) {
      sheet.write('svc_projection_lag_positions', of, Number(lagOf(position, head)))
    }
  }
  if (feed !== undefined) writeFeed(sheet, feed, head)
  if (feed?.topUps !== undefined) writeTopUps(sheet, feed.topUps)
  writeHolds(sheet, sources)
  return sheet
}

function writeFeed(sheet: Sheet, feed: Feed, head: Position | undefined): void {
  const { position, waitingMs, trouble, lost } = feed.status()
  sheet.write('svc_feed_healthy', {}, trouble === null && lost === null ? 1 : 0)
  sheet.write('svc_feed_waiting_seconds', {}, waitingMs / MS_PER_SECOND)
  if (head !== undefined) sheet.write('svc_feed_lag_positions', {}, Number(lagOf(position, head)))
}

function writeTopUps(sheet: Sheet, topUps: TopUps): void {
  const { trouble, skipped, waiting, granted, repeated, dead } = topUps.status()
  sheet.write('svc_topups_healthy', {}, trouble === null && skipped === null ? 1 : 0)
  if (waiting !== null) sheet.write('svc_topups_waiting', {}, Number(waiting))
  for (const [outcome, count] of Object.entries({ granted, repeated, dead })) {
    sheet.write('svc_topups_total', { outcome }, count)
  }
}

/** @param last null before the first verification: nothing was found, and nobody has looked */
export function writeVerification(sheet: Sheet, last: KeptVerification | null): void {
  const atMs = last === null ? 0 : Date.parse(last.verified_at)
  sheet.write('svc_last_verification_timestamp_seconds', {}, atMs / MS_PER_SECOND)
  if (last !== null) sheet.write('svc_last_verification_ok', {}, last.ok ? 1 : 0)
}

function writeHolds(sheet: Sheet, sources: LedgerSources): void {
  const holds = holdsOf(sources)
  if (holds === undefined) return
  sheet.write('svc_holds_active', {}, holds.active)
  sheet.write('svc_holds_overdue', {}, holds.overdue)
}

/** A failed view cannot be queried; the metric of its health shows the failure. */
function holdsOf(sources: LedgerSources) {
  try {
    const { openRequests } = sources.projections.views.accountTotals()
    return { active: openRequests, overdue: overdueHolds(sources).count }
  } catch {
    return undefined
  }
}
