/** A ledger over a store in memory, with time and ids that a test controls. */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import type { AccountEvent } from '@svc/contracts/events/account'
import { accountStream } from '@svc/contracts/events/account'
import { decodeEvent } from '@svc/contracts/events/codec'
import { type IdKind, type IdSource, makeId } from '@svc/contracts/ids'
import type { PicoDollars } from '@svc/contracts/money'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { Quarantine } from '@svc/contracts/ports/quarantine'
import type { SnapshotStore } from '@svc/contracts/ports/snapshot-store'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock } from '@svc/contracts/ports/time'
import type { UsedKeys } from '@svc/contracts/ports/used-keys'
import type { RecordedCharges } from '@svc/contracts/recorded-charges'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { MemorySnapshotStore } from '@svc/infra/snapshot-store/memory/memory-snapshot-store'
import { MemoryTextStore } from '@svc/infra/text-store/memory/memory-text-store'
import { createLedger } from '@svc/ledger/create-ledger'
import type { Ledger } from '@svc/ledger/ledger'
import type { LedgerLimits } from '@svc/ledger/limits'
import { ManualTime } from '../manual-time.ts'
import { gatewayId, meter } from './sample.ts'

export const MODEL = 'svc-beta'
/** Of every request, from its acceptance. */
export const ENDS_WITHIN_MS = 600_000
/** At 2, 1 and 3 pico-dollars per token. */
export const rates = { input: 2n, cachedInput: 1n, output: 3n }

export interface LedgerSetting {
  readonly ledger: Ledger
  readonly store: EventStore
  readonly snapshots: SnapshotStore
  readonly texts: TextStore
  readonly time: ManualTime
}

export interface LedgerSettingOptions extends Partial<LedgerSetting> {
  /** Default: the time, so that both clocks agree. */
  readonly clock?: Clock
  readonly limits?: Partial<LedgerLimits>
  readonly gatewayId?: string
  readonly reach?: ReachCrashPoint
  readonly usedKeys?: UsedKeys
  readonly charges?: RecordedCharges
  readonly isPriced?: boolean
  readonly quarantine?: Quarantine
}

let madeLedgers = 0
/** Ledgers over one log share the texts beside it. */
const textStores = new WeakMap<EventStore, MemoryTextStore>()

export async function openLedger(options: LedgerSettingOptions = {}): Promise<LedgerSetting> {
  const store = options.store ?? new MemoryEventStore()
  const snapshots = options.snapshots ?? new MemorySnapshotStore()
  const texts = options.texts ?? textsBeside(store)
  const time = options.time ?? new ManualTime()
  const clock = options.clock ?? time
  madeLedgers += 1
  const ledger = await time.until(
    createLedger({
      store,
      snapshots,
      texts,
      clock,
      steadyClock: time,
      timer: time,
      ids: countedIds(clock, madeLedgers),
      randomBytes: countedBytes(madeLedgers),
      gatewayId: options.gatewayId ?? gatewayId,
      limits: options.limits,
      reach: options.reach,
      quarantine: options.quarantine,
      usedKeys: options.usedKeys,
      ...(options.charges === undefined ? {} : { charges: options.charges }),
    }),
  )
  if (options.isPriced !== false && ledger.pricing.current(MODEL) === null) {
    await time.until(ledger.pricing.publish({ model: MODEL, rates }))
  }
  return { ledger, store, snapshots, texts, time }
}

export function textsBeside(store: EventStore): MemoryTextStore {
  const texts = textStores.get(store) ?? new MemoryTextStore()
  textStores.set(store, texts)
  return texts
}

/** Opens an account with one key and some credit. */
export async function openFunded(
  { ledger, time }: Pick<LedgerSetting, 'ledger' | 'time'>,
  credit: PicoDollars,
  spendPolicy: 'standard' | 'strict' = 'standard',
): Promise<{ accountId: string; keyId: string; secret: string }> {
  const { accountId } = await time.until(
    ledger.administration.openAccount({ name: 'funded', spendPolicy, actor: 'operator' }),
  )
  if (credit > 0n) await time.until(ledger.administration.grant(accountId, payment(credit)))
  const key = await time.until(newKey(ledger, accountId, { name: 'key', actor: 'operator' }))
  return { accountId, ...key }
}

/** Creates a key, with the secret that a new one always has. */
export async function newKey(
  { administration }: Pick<Ledger, 'administration'>,
  accountId: string,
  input: { readonly name: string; readonly expiresAt?: number; readonly actor: string },
): Promise<{ keyId: string; secret: string }> {
  const { keyId, secret } = await administration.createKey(accountId, input)
  if (secret === null) throw new Error(`${keyId} is a new key, and was there`)
  return { keyId, secret }
}

export function payment(amount: PicoDollars, reference: string | null = null) {
  return {
    amount,
    category: 'paid' as const,
    priority: 100,
    expiresAt: null,
    reference,
    reason: 'a payment',
    actor: 'operator',
  }
}

/** A request for 10 prompt tokens and at most 10 output tokens: at most 50 pico-dollars. */
export function request(
  { ledger }: Pick<LedgerSetting, 'ledger'>,
  keyId: string,
  fields: Partial<Parameters<Ledger['accept']>[1]> = {},
): Parameters<Ledger['accept']>[1] {
  return {
    requestId: ledger.newRequestId(),
    keyId,
    format: 'chat',
    model: MODEL,
    promptTokens: 10,
    maxOutputTokens: 10,
    idempotency: null,
    endsWithinMs: ENDS_WITHIN_MS,
    ...fields,
  }
}

export function ending(requestId: string, fields: Parameters<typeof meter>[0] = {}) {
  return {
    requestId,
    meter: meter(fields),
    finishReason: 'stop' as const,
    rule: 'metered' as const,
    failure: null,
  }
}

export async function eventsOf(store: EventStore, accountId: string): Promise<AccountEvent[]> {
  const stream = accountStream(accountId)
  const recorded = await store.readStream({ stream, direction: 'forwards', limit: 10_000 })
  return recorded.map((event) => decodeEvent(event) as AccountEvent)
}

function countedIds(clock: Clock, ledgerIndex: number): IdSource {
  const bytes = countedBytes(ledgerIndex)
  return { next: (kind: IdKind) => makeId(kind, clock.nowMs(), bytes(10)) }
}

/** Different in every call and every ledger, the same in every run of a test on its own. */
function countedBytes(ledgerIndex: number): (count: number) => Uint8Array {
  let calls = 0
  return (count) => {
    calls += 1
    const bytes = Buffer.alloc(count)
    bytes.writeUInt32BE(calls, count - 4)
    bytes.writeUInt32BE(ledgerIndex, count - 8)
    return bytes
  }
}
