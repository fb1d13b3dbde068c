/**
 * Account states as text and back. A snapshot is a cache: one that does not fit in every way is
 * ignored, and the account is folded from its events.
 */

import { accountStream, type PriceCorrection } from '@svc/contracts/events/account'
import type { StreamHead } from '@svc/contracts/ports/event-store'
import type { Snapshot } from '@svc/contracts/ports/snapshot-store'
import { burnOrder } from '../account/burn-down.ts'
import {
  type AccountState,
  type ApiKey,
  type Grant,
  type MadeAdjustment,
  type OpenRequest,
  type RefundedRequest,
  type UsedIdempotencyKey,
  unopenedAccount,
} from '../account/state.ts'

/** Count it up whenever the text changes; a test compares it with the text that it stands for. */
export const SNAPSHOT_SCHEMA = 'account-state/8'

const MONEY_FIELDS: ReadonlySet<string> = new Set([
  'amount',
  'remaining',
  'balance',
  'held',
  'debt',
  'hold',
  'input',
  'cachedInput',
  'output',
  'expired',
  'total',
])

const PLAIN_FIELDS = [
  ...(['accountId', 'name', 'externalId', 'content', 'spendPolicy', 'priceList'] as const),
  ...(['frozenAt', 'closedAt', 'balance', 'held', 'debt', 'hasForgottenKeys'] as const),
  ...(['hasForgottenRefunds', 'correctionsMade', 'keysUsed', 'erasures'] as const),
] as const

/** The fields that are not there are made of those that are. */
type StoredState = Pick<AccountState, (typeof PLAIN_FIELDS)[number]> & {
  readonly keys: readonly ApiKey[]
  readonly grants: readonly Grant[]
  readonly openRequests: readonly OpenRequest[]
  readonly idempotencyKeys: readonly (readonly [keyHash: string, used: UsedIdempotencyKey])[]
  readonly changes: readonly (readonly [changeId: string, content: string])[]
  readonly refunds: readonly (readonly [requestId: string, refunded: RefundedRequest])[]
  readonly adjustments: readonly (readonly [adjustmentId: string, made: MadeAdjustment])[]
  readonly priceCorrections: readonly PriceCorrection[]
}

export function snapshotOf(stream: string, head: StreamHead, state: AccountState): Snapshot {
  const stored: StoredState = {
    ...plainFieldsOf(state),
    keys: [...state.keys.values()],
    grants: [...state.grants.values()],
    openRequests: [...state.openRequests.values()],
    idempotencyKeys: [...state.idempotencyKeys],
    changes: [...state.changes],
    refunds: [...state.refunds],
    adjustments: [...state.adjustments],
    priceCorrections: state.priceCorrections,
  }
  const text = JSON.stringify(stored, (_key, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  return { stream, head, schema: SNAPSHOT_SCHEMA, state: text }
}

/** The state of a snapshot, or `undefined` when it is of another shape or does not add up. */
export function stateOfSnapshot(snapshot: Snapshot): AccountState | undefined {
  if (snapshot.schema !== SNAPSHOT_SCHEMA) return undefined
  try {
    const state = restore(JSON.parse(snapshot.state, readMoney) as StoredState)
    return addsUp(state) && isOf(snapshot.stream, state) ? state : undefined
  } catch {
    return undefined
  }
}

function restore(stored: StoredState): AccountState {
  const state = unopenedAccount()
  Object.assign(state, plainFieldsOf(stored))
  for (const key of stored.keys) state.keys.set(key.keyId, key)
  for (const grant of stored.grants) {
    state.grants.set(grant.grantId, grant)
    if (grant.remaining > 0n) state.burning.push(grant)
  }
  state.burning.sort(burnOrder)
  for (const request of stored.openRequests) {
    state.openRequests.set(request.requestId, request)
    if (request.underHeld) state.underHeldRequestId = request.requestId
  }
  for (const [keyHash, used] of stored.idempotencyKeys) state.idempotencyKeys.set(keyHash, used)
  for (const [changeId, content] of stored.changes) state.changes.set(changeId, content)
  for (const [requestId, refunded] of stored.refunds) state.refunds.set(requestId, refunded)
  for (const [id, made] of stored.adjustments) state.adjustments.set(id, made)
  state.priceCorrections.push(...stored.priceCorrections)
  return state
}

function plainFieldsOf(
  state: Pick<AccountState, (typeof PLAIN_FIELDS)[number]>,
): Pick<AccountState, (typeof PLAIN_FIELDS)[number]> {
  const fields = PLAIN_FIELDS.map((field) => [field, state[field]])
  return Object.fromEntries(fields) as Pick<AccountState, (typeof PLAIN_FIELDS)[number]>
}

function addsUp(state: AccountState): boolean {
  const left = state.burning.reduce((sum, { remaining }) => sum + remaining, 0n)
  let held = 0n
  for (const { hold } of state.openRequests.values()) held += hold
  return state.balance === left - state.debt && state.held === held
}

function isOf(stream: string, { accountId }: AccountState): boolean {
  return accountId !== null && accountStream(accountId) === stream
}

function readMoney(field: string, value: unknown): unknown {
  return MONEY_FIELDS.has(field) && typeof value === 'string' ? BigInt(value) : value
}
