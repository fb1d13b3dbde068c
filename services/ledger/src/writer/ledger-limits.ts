/** Limits of the ledger, each with its unit in its name. */
import { APPEND_BYTES_MAX, APPEND_EVENTS_MAX } from '@svc/contracts/ports/event-store'

/** How long after its publication every process knows a price, whatever its clock says. */
export const PRICE_NOTICE_MS = 60_000

export interface LedgerLimits {
  /** Commands that wait for the writer of one account; more are refused. */
  readonly queuedCommandsPerAccount: number
  /** Requests of one account that wait for an under-held one to end; more are refused. */
  readonly waitersPerAccount: number
  /** How long such a request waits, in milliseconds. */
  readonly waitMs: number
  /**
   * How often those who wait look for credit that another process has freed. Infinite where this
   * process has the store for itself: it learns of its own at once.
   */
  readonly lookAgainMs: number
  readonly batchCommands: number
  readonly batchEvents: number
  readonly batchBytes: number
  /**
   * How long an account may be written without a rest, in which other processes get their turn.
   * Infinite where this process has the store for itself.
   */
  readonly restEveryMs: number
  /** Lost races for a stream after which a batch is refused. */
  readonly conflictsInARow: number
  /** How long callers wait for an append whose outcome is unknown. */
  readonly unknownOutcomeMs: number
  readonly accountsInMemory: number
  /** Events after which the state of an account is saved again. */
  readonly snapshotEveryEvents: number
  /** How often a snapshot is saved, in events, while other processes write to the account too. */
  readonly sharedSnapshotEveryEvents: number
  readonly replayPageEvents: number
  /** How often prices published by another process are looked for. */
  readonly priceRefreshMs: number
  /**
   * How long requests may still be accepted at a price that was replaced. Zero where this process
   * has the store for itself: it knows of its own prices at once.
   */
  readonly replacedPriceMs: number
}

export const defaultLimits: LedgerLimits = {
  queuedCommandsPerAccount: 1_024,
  waitersPerAccount: 1_024,
  waitMs: 10_000,
  lookAgainMs: Number.POSITIVE_INFINITY,
  batchCommands: 64,
  batchEvents: APPEND_EVENTS_MAX,
  batchBytes: APPEND_BYTES_MAX,
  restEveryMs: Number.POSITIVE_INFINITY,
  conflictsInARow: 200,
  unknownOutcomeMs: 30_000,
  accountsInMemory: 10_000,
  snapshotEveryEvents: 2_000,
  sharedSnapshotEveryEvents: 100,
  replayPageEvents: 2_000,
  priceRefreshMs: 5_000,
  replacedPriceMs: 0,
}
