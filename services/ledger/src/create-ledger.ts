/**
 * Wires the ledger to its ports.
 *
 * @example
 * const ledger = await createLedger({ store, snapshots, texts, clock, steadyClock, timer, ids,
 *   randomBytes, gatewayId: ids.next('gw') })
 * const caller = await ledger.authenticate(secret)
 * await ledger.close()
 */
import { noCrashPoints, type ReachCrashPoint } from '@svc/contracts/crash-points'
import { gatewayActor } from '@svc/contracts/events/actors'
import type { IdSource } from '@svc/contracts/ids'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { noQuarantine, type Quarantine } from '@svc/contracts/ports/quarantine'
import type { SnapshotStore } from '@svc/contracts/ports/snapshot-store'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { UsedKeys } from '@svc/contracts/ports/used-keys'
import type { RecordedCharges } from '@svc/contracts/recorded-charges'
import { type ErasureNotes, noErasureNotes } from './administration/erasure-notes.ts'
import { EventSourcedLedger } from './event-sourced-ledger.ts'
import type { Ledger } from './ledger.ts'
import { PriceBook } from './pricing/price-book.ts'
import { chargesInStream } from './recorded-end.ts'
import { AccountWriters } from './writer/account-writers.ts'
import { defaultLimits, type LedgerLimits } from './writer/ledger-limits.ts'
import { keyUnknown } from './writer/refusals.ts'

export interface LedgerDependencies {
  readonly store: EventStore
  readonly snapshots: SnapshotStore
  /** Keeps texts about people, so that they can be erased; events only refer to them. */
  readonly texts: TextStore
  readonly clock: Clock
  /** A clock that never jumps: it measures how long something takes. */
  readonly steadyClock: Clock
  readonly timer: Timer
  readonly ids: IdSource
  /** A cryptographic source of random bytes, for the secrets of keys. */
  readonly randomBytes: (count: number) => Uint8Array
  /**
   * `gw_…`, a new one for every start: by it a later process tells the requests that this one left
   * open from its own.
   */
  readonly gatewayId: string
  /**
   * Finds Idempotency-Keys that are older than those in the state of an account. Without it an
   * account that has used more keys than its state holds is refused new ones.
   */
  readonly usedKeys?: UsedKeys | undefined
  /**
   * Finds what a request was charged. Default: the stream of the account is read backwards.
   */
  readonly charges?: RecordedCharges
  /** Remembers erasures that have begun. Without it, one that a crash cuts off stays unfinished. */
  readonly erasures?: ErasureNotes
  readonly reach?: ReachCrashPoint | undefined
  /** Lists damaged streams, and is told of those that the ledger finds. */
  readonly quarantine?: Quarantine | undefined
  readonly limits?: Partial<LedgerLimits> | undefined
}

/** Refuses every search: a key that may have been used is never taken for an unused one. */
const unknownKeys: UsedKeys = { find: () => Promise.reject(keyUnknown()) }

/**
 * Resolves when the published prices are read. The ledger reads an account when it is first asked
 * for. It does not close store, snapshots and texts: the caller does, after the ledger.
 */
export async function createLedger(dependencies: LedgerDependencies): Promise<Ledger> {
  const { store, texts, snapshots, clock, steadyClock, timer, ids, randomBytes } = dependencies
  const { gatewayId } = dependencies
  const reach = dependencies.reach ?? noCrashPoints
  const limits = { ...defaultLimits, ...dependencies.limits }
  const actor = gatewayActor(gatewayId)
  const quarantine = dependencies.quarantine ?? noQuarantine
  const pricing = { store, texts, snapshots, clock, timer, ids, actor, limits, quarantine }
  const prices = new PriceBook(pricing)
  await prices.open()
  const reading = { store, timer, pageEvents: limits.replayPageEvents }
  const writing = { store, snapshots, clock, steadyClock, timer, reach, limits, quarantine }
  return new EventSourcedLedger({
    reading,
    charges: dependencies.charges ?? chargesInStream(reading),
    writers: new AccountWriters(writing),
    prices,
    usedKeys: dependencies.usedKeys ?? unknownKeys,
    texts,
    erasures: dependencies.erasures ?? noErasureNotes,
    clock,
    steadyClock,
    ids,
    randomBytes,
    gatewayId,
  })
}
