/** Wires the ledger to its ports. */
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
  /** Keeps what the operator writes about people; the events have words in its place. */
  readonly texts: TextStore
  readonly clock: Clock
  /** Never jumps: for how long something lasts. */
  readonly steadyClock: Clock
  readonly timer: Timer
  readonly ids: IdSource
  /** Gives bytes of a cryptographic source: secrets are made of them. */
  readonly randomBytes: (count: number) => Uint8Array
  /** `gw_…`: a new one for every start, so that a later process knows what this one left. */
  readonly gatewayId: string
  /**
   * Finds forgotten keys. Without it an account with very many Idempotency-Keys is refused new
   * ones.
   */
  readonly usedKeys?: UsedKeys
  /**
   * Finds charges. Without it they are looked for in the stream of the account, from its end on.
   */
  readonly charges?: RecordedCharges
  /** Remembers erasures. Without it nothing finishes one that a crash cuts off. */
  readonly erasures?: ErasureNotes
  readonly reach?: ReachCrashPoint
  /** Streams that are set aside; told of those that are found damaged here. */
  readonly quarantine?: Quarantine
  readonly limits?: Partial<LedgerLimits>
}

/**
 * Knows nothing of keys that an account has forgotten, so that none of them is taken for unused.
 */
const unknownKeys: UsedKeys = { find: () => Promise.reject(keyUnknown()) }

/**
 * Resolves when the price list is read. Accounts are read when they are first asked for.
 * Store, snapshots and texts stay the caller's: close them after the ledger.
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
  return new EventSourcedLedger({
    reading,
    charges: dependencies.charges ?? chargesInStream(reading),
    writers: new AccountWriters({
      ...{ store, snapshots, clock, steadyClock, timer, reach, limits, quarantine },
    }),
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
