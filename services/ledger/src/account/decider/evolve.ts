/**
 * Folds one event into the state. Read on in the folder around this one: in `funds.ts`, which holds
 * an account to what its events say of its money, and in `corrections/`.
 *
 * `evolve` changes the state that it is given: the writer of the account owns it, nobody else holds
 * it across an event, and a copy per event would cost more than the event. A decision, on the
 * other hand, never changes the state; a test holds it to that.
 */
import type { AccountEvent, AccountEventOf } from '@svc/contracts/events/account'
import { readKeptText } from '@svc/contracts/kept-text'
import { smallerOf } from '../burn-down.ts'
import { changeOf } from '../changes.ts'
import { contentOfAccount, contentOfKey, ERASED_CONTENT } from '../content.ts'
import { evolveAdjust } from '../corrections/adjustment.ts'
import { evolveRefund } from '../corrections/refund.ts'
import { evolveVoid } from '../corrections/voided-grant.ts'
import { addCredit, moveBalance, moveDebt, takeFromGrants } from '../funds.ts'
import {
  type AccountState,
  CHANGES_MAX,
  forgetOldest,
  IDEMPOTENCY_KEYS_MAX,
  InconsistentHistoryError,
  isActive,
  KNOWN_KEYS_MAX,
} from '../state.ts'

type DataOf<T extends AccountEvent['type']> = AccountEventOf<T>['data']

/**
 * @returns the state that was given, changed
 * @throws {InconsistentHistoryError} when the event cannot have followed those before it
 */
export function evolve(state: AccountState, event: AccountEvent): AccountState {
  switch (event.type) {
    case 'AccountOpened':
      open(state, event.data)
      break
    case 'AccountRenamed':
      state.name = event.data.name
      break
    case 'SpendPolicySet':
      state.spendPolicy = event.data.spendPolicy
      break
    case 'PriceListSet':
      state.priceList = event.data.priceList
      break
    case 'AccountFrozen':
      state.frozenAt = event.data.at
      break
    case 'AccountUnfrozen':
      state.frozenAt = null
      break
    case 'AccountClosed':
      close(state, event.data)
      break
    case 'TextsErased':
      forgetContents(state)
      break
    case 'ApiKeyCreated':
      addKey(state, event.data)
      break
    case 'ApiKeyRenamed':
    case 'ApiKeyExpirySet':
    case 'ApiKeyRevoked':
      changeKey(state, event)
      break
    case 'CreditGranted':
      addGrant(state, event.data)
      break
    case 'CreditExpired':
      expire(state, event.data)
      break
    case 'GrantVoided':
      evolveVoid(state, event.data)
      break
    case 'CreditRefunded':
      evolveRefund(state, event.data)
      break
    case 'BalanceAdjusted':
      evolveAdjust(state, event.data)
      break
    case 'RequestAccepted':
      openRequest(state, event.data)
      break
    case 'TokensMetered': // The debit behind it, in the same append, is what ends the request.
      break
    case 'CreditDebited':
      debit(state, event.data)
      break
    case 'RequestFailed':
    case 'RequestAbandoned':
      endWithoutDebit(state, event.data)
      break
    default:
      throw new InconsistentHistoryError(unreachable(event))
  }
  rememberChange(state, event)
  return state
}

function open(state: AccountState, opened: DataOf<'AccountOpened'>): void {
  state.accountId = opened.accountId
  state.name = opened.name
  state.spendPolicy = opened.spendPolicy
  state.externalId = opened.externalId
  state.content = contentOfAccount(opened)
}

function close(state: AccountState, closed: DataOf<'AccountClosed'>): void {
  const { slices, paidDebt, amount, balanceAfter, at } = closed
  takeFromGrants(state, slices)
  moveDebt(state, -paidDebt)
  state.closedAt = at
  for (const key of state.keys.values()) key.revokedAt ??= at
  moveBalance(state, amount, balanceAfter)
}

/**
 * What was asked for can be compared no more: from now on the ids alone say what was done.
 *
 * But a reference that an older program wrote as it is stays in its event, and the id of its grant
 * is not made of it: without it the same payment would be granted again.
 */
function forgetContents(state: AccountState): void {
  state.erasures += 1
  state.content = ERASED_CONTENT
  for (const key of state.keys.values()) key.content = ERASED_CONTENT
  for (const grant of state.grants.values()) {
    const { reference } = grant
    if (reference !== null && readKeptText(reference)) grant.reference = ERASED_CONTENT
  }
  for (const changeId of state.changes.keys()) state.changes.set(changeId, ERASED_CONTENT)
  for (const [id, { amount }] of state.adjustments) {
    state.adjustments.set(id, { amount, content: ERASED_CONTENT })
  }
}

function addKey(state: AccountState, created: DataOf<'ApiKeyCreated'>): void {
  const { at, metadata: _, ...key } = created
  const content = contentOfKey(created)
  state.keys.set(key.keyId, { ...key, content, createdAt: at, revokedAt: null })
  if (state.keys.size <= KNOWN_KEYS_MAX) return
  for (const known of state.keys.values()) {
    if (isActive(known, at)) continue
    state.keys.delete(known.keyId)
    return
  }
}

function changeKey(
  state: AccountState,
  { type, data }: AccountEventOf<'ApiKeyRenamed' | 'ApiKeyExpirySet' | 'ApiKeyRevoked'>,
): void {
  const key = state.keys.get(data.keyId)
  if (key === undefined) return
  if (type === 'ApiKeyRenamed') key.name = data.name
  else if (type === 'ApiKeyExpirySet') key.expiresAt = data.expiresAt
  else key.revokedAt = data.at
}

function addGrant(state: AccountState, granted: DataOf<'CreditGranted'>): void {
  const { grantId, amount, category, priority, expiresAt, reference, paidDebt, at } = granted
  const owed = smallerOf(state.debt, amount)
  if (paidDebt !== owed) {
    throw new InconsistentHistoryError(
      `${grantId} pays a debt of ${owed}, an event says ${paidDebt}`,
    )
  }
  const terms = { grantId, amount, category, priority, expiresAt, reference, grantedAt: at }
  addCredit(state, { ...terms, remaining: amount - paidDebt })
  moveDebt(state, -paidDebt)
  moveBalance(state, amount, granted.balanceAfter)
}

function expire(state: AccountState, expired: DataOf<'CreditExpired'>): void {
  const { grantId, amount, balanceAfter } = expired
  takeFromGrants(state, [expired])
  const grant = state.grants.get(grantId)
  if (grant !== undefined) grant.expired += amount
  moveBalance(state, -amount, balanceAfter)
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
  state.keysUsed += 1
  if (forgetOldest(known, IDEMPOTENCY_KEYS_MAX)) state.hasForgottenKeys = true
}

function debit(state: AccountState, debited: DataOf<'CreditDebited'>): void {
  const { requestId, amount, slices, debt, balanceAfter } = debited
  takeFromGrants(state, slices)
  moveDebt(state, debt)
  endRequest(state, requestId)
  moveBalance(state, -amount, balanceAfter)
}

/**
 * After a debit the request has ended already: then the event only says how. Otherwise nothing was
 * charged, so the Idempotency-Key may run again: there is still one debit at most.
 */
function endWithoutDebit(
  state: AccountState,
  { requestId }: DataOf<'RequestFailed' | 'RequestAbandoned'>,
): void {
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

/** What the operator changed is remembered by its change id, so that a repetition is known. */
function rememberChange({ changes }: AccountState, event: AccountEvent): void {
  const changeId = 'changeId' in event.data ? event.data.changeId : null
  if (changeId === null) return
  const content = changeOf(event)
  if (content === undefined) return
  changes.set(changeId, content)
  forgetOldest(changes, CHANGES_MAX)
}

function unreachable(event: never): string {
  return `there is no event ${JSON.stringify(event)}`
}
