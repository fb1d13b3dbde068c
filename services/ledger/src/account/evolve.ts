/**
 * Folds one event into the state.
 *
 * `evolve` changes the state that it is given: the writer of the account owns it, nobody else holds
 * it across an event, and a copy per event would cost more than the event. A decision, on the
 * other hand, never changes the state; a test holds it to that.
 *
 * Every event that moves the balance says what the balance is afterwards. The fold adds up by
 * itself and compares: an account whose history does not add up is not traded with.
 */
import type { AccountEvent, AccountEventOf } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import { insertInBurnOrder } from './burn-down.ts'
import {
  type AccountState,
  type Grant,
  isActive,
  MAX_IDEMPOTENCY_KEYS,
  MAX_KNOWN_KEYS,
} from './state.ts'

/** The events of an account contradict each other. */
class InconsistentHistoryError extends Error {
  override readonly name = 'InconsistentHistoryError'
}

type DataOf<T extends AccountEvent['type']> = AccountEventOf<T>['data']

/**
 * @returns the state that was given, changed
 * @throws {InconsistentHistoryError} when the event cannot have followed those before it
 */
export function evolve(state: AccountState, event: AccountEvent): AccountState {
  switch (event.type) {
    case 'AccountOpened':
      state.accountId = event.data.accountId
      state.name = event.data.name
      state.spendPolicy = event.data.spendPolicy
      break
    case 'SpendPolicySet':
      state.spendPolicy = event.data.spendPolicy
      break
    case 'PriceListSet':
      state.priceList = event.data.priceList
      break
    case 'ApiKeyCreated':
      addKey(state, event.data)
      break
    case 'ApiKeyRevoked':
      revokeKey(state, event.data)
      break
    case 'CreditGranted':
      addGrant(state, event.data)
      break
    case 'CreditExpired':
      takeFromGrant(state, event.data.grantId, event.data.amount)
      moveBalance(state, -event.data.amount, event.data.balanceAfter)
      break
    case 'RequestAccepted':
      openRequest(state, event.data)
      break
    case 'TokensMetered':
      // The debit behind it, in the same append, is what ends the request.
      break
    case 'CreditDebited':
      debit(state, event.data)
      break
    case 'RequestFailed':
    case 'RequestAbandoned':
      endWithoutDebit(state, event.data.requestId)
      break
    default:
      throw new InconsistentHistoryError(unreachable(event))
  }
  return state
}

function addKey(state: AccountState, { at, ...key }: DataOf<'ApiKeyCreated'>): void {
  state.keys.set(key.keyId, { ...key, createdAt: at, revokedAt: null })
  if (state.keys.size <= MAX_KNOWN_KEYS) return
  for (const known of state.keys.values()) {
    if (isActive(known, at)) continue
    state.keys.delete(known.keyId)
    return
  }
}

function revokeKey(state: AccountState, { keyId, at }: DataOf<'ApiKeyRevoked'>): void {
  const key = state.keys.get(keyId)
  if (key !== undefined) key.revokedAt = at
}

function addGrant(state: AccountState, granted: DataOf<'CreditGranted'>): void {
  const { grantId, amount, category, priority, expiresAt, reference, paidDebt, at } = granted
  const remaining = amount - paidDebt
  const grant: Grant = {
    grantId,
    amount,
    category,
    priority,
    expiresAt,
    reference,
    grantedAt: at,
    remaining,
  }
  if (state.grants.has(grantId)) throw new InconsistentHistoryError(`${grantId} is granted twice`)
  state.grants.set(grantId, grant)
  if (remaining > 0n) insertInBurnOrder(state.burning, grant)
  state.debt -= paidDebt
  moveBalance(state, amount, granted.balanceAfter)
}

function openRequest(state: AccountState, accepted: DataOf<'RequestAccepted'>): void {
  const { requestId, price, promptTokens, maxOutputTokens, hold, underHeld } = accepted
  if (state.openRequests.has(requestId)) {
    throw new InconsistentHistoryError(`${requestId} is accepted twice`)
  }
  const idempotencyKeyHash = accepted.idempotency?.keyHash ?? null
  const terms = { price, promptTokens, maxOutputTokens, hold, underHeld }
  const request = { requestId, ...terms, idempotencyKeyHash }
  state.openRequests.set(requestId, request)
  state.held += hold
  if (underHeld) state.underHeldRequestId = requestId
  if (accepted.idempotency !== null) rememberKey(state, accepted, accepted.idempotency)
}

function rememberKey(
  state: AccountState,
  { requestId }: DataOf<'RequestAccepted'>,
  { keyHash, bodyHash }: NonNullable<DataOf<'RequestAccepted'>['idempotency']>,
): void {
  const known = state.idempotencyKeys
  known.delete(keyHash)
  known.set(keyHash, { requestId, bodyHash })
  if (known.size <= MAX_IDEMPOTENCY_KEYS) return
  const [oldest] = known.keys()
  if (oldest === undefined) return
  known.delete(oldest)
  state.hasForgottenKeys = true
}

function debit(state: AccountState, debited: DataOf<'CreditDebited'>): void {
  const { requestId, amount, slices, debt, balanceAfter } = debited
  for (const slice of slices) takeFromGrant(state, slice.grantId, slice.amount)
  state.debt += debt
  endRequest(state, requestId)
  moveBalance(state, -amount, balanceAfter)
}

/**
 * After a debit the request has ended already: then the event only says how. Otherwise nothing was
 * charged, so the Idempotency-Key may run again: there is still one debit at most.
 */
function endWithoutDebit(state: AccountState, requestId: string): void {
  const keyHash = state.openRequests.get(requestId)?.idempotencyKeyHash ?? null
  endRequest(state, requestId)
  if (keyHash === null || state.idempotencyKeys.get(keyHash)?.requestId !== requestId) return
  state.idempotencyKeys.delete(keyHash)
}

function endRequest(state: AccountState, requestId: string): void {
  const request = state.openRequests.get(requestId)
  if (request === undefined) return
  state.openRequests.delete(requestId)
  state.held -= request.hold
  if (state.underHeldRequestId === requestId) state.underHeldRequestId = null
}

function takeFromGrant(state: AccountState, grantId: string, amount: PicoDollars): void {
  const grant = state.grants.get(grantId)
  if (grant === undefined || grant.remaining < amount) {
    throw new InconsistentHistoryError(`${grantId} does not have ${amount} left`)
  }
  grant.remaining -= amount
  if (grant.remaining > 0n) return
  const index = state.burning.indexOf(grant)
  if (index !== -1) state.burning.splice(index, 1)
}

function moveBalance(state: AccountState, change: PicoDollars, after: PicoDollars): void {
  state.balance += change
  if (state.balance !== after) {
    throw new InconsistentHistoryError(`the balance is ${state.balance}, an event says ${after}`)
  }
}

function unreachable(event: never): string {
  return `there is no event ${JSON.stringify(event)}`
}
