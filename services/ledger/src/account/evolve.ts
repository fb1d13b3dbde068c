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
import type { RecordedRefund } from '@svc/contracts/commands'
import {
  type AccountEvent,
  type AccountEventOf,
  CORRECTION_PRIORITY,
} from '@svc/contracts/events/account'
import { readKeptText } from '@svc/contracts/kept-text'
import type { PicoDollars } from '@svc/contracts/money'
import { insertInBurnOrder, smallerOf } from './burn-down.ts'
import { changeOf } from './changes.ts'
import { contentOfAccount, contentOfAdjustment, contentOfKey, ERASED_CONTENT } from './content.ts'
import {
  type AccountState,
  CHANGES_MAX,
  type Grant,
  IDEMPOTENCY_KEYS_MAX,
  InconsistentHistoryError,
  isActive,
  KNOWN_KEYS_MAX,
  REFUNDED_REQUESTS_MAX,
} from './state.ts'

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
      state.externalId = event.data.externalId
      state.content = contentOfAccount(event.data)
      break
    case 'PriceListSet':
      state.priceList = event.data.priceList
      break
    case 'AccountRenamed':
    case 'SpendPolicySet':
    case 'AccountFrozen':
    case 'AccountUnfrozen':
    case 'AccountClosed':
    case 'ApiKeyRenamed':
    case 'ApiKeyExpirySet':
    case 'CreditGranted':
    case 'GrantVoided':
    case 'TextsErased':
      change(state, event)
      break
    case 'ApiKeyCreated':
      addKey(state, event.data)
      break
    case 'ApiKeyRevoked':
      revokeKey(state, event.data)
      break
    case 'CreditExpired':
      expire(state, event.data)
      moveBalance(state, -event.data.amount, event.data.balanceAfter)
      break
    case 'CreditRefunded':
      refund(state, event.data)
      break
    case 'BalanceAdjusted':
      adjust(state, event.data)
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

type ChangeEvent = Extract<AccountEvent, { readonly data: { readonly changeId: string | null } }>

/** What the operator changed is remembered by its change id, so that a repetition is known. */
function change(state: AccountState, event: ChangeEvent): void {
  makeChange(state, event)
  const { changeId } = event.data
  const content = changeOf(event)
  if (changeId === null || content === undefined) return
  state.changes.set(changeId, content)
  if (state.changes.size > CHANGES_MAX) forgetOldest(state.changes)
}

function makeChange(state: AccountState, event: ChangeEvent): void {
  switch (event.type) {
    case 'AccountRenamed':
      state.name = event.data.name
      break
    case 'SpendPolicySet':
      state.spendPolicy = event.data.spendPolicy
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
    case 'ApiKeyRenamed':
      renameKey(state, event.data)
      break
    case 'ApiKeyExpirySet':
      endKeyAt(state, event.data)
      break
    case 'CreditGranted':
      addGrant(state, event.data)
      break
    case 'GrantVoided':
      voidGrant(state, event.data)
      break
    case 'TextsErased':
      state.erasures += 1
      forgetContents(state)
      break
    default:
      event satisfies never
  }
}

/**
 * What was asked for can be compared no more: from now on the ids alone say what was done.
 *
 * But a reference that an older program wrote as it is stays in its event, and the id of its grant
 * is not made of it: without it the same payment would be granted again.
 */
function forgetContents(state: AccountState): void {
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

function forgetOldest(known: Map<string, unknown>): void {
  const [oldest] = known.keys()
  if (oldest !== undefined) known.delete(oldest)
}

function close(state: AccountState, closed: DataOf<'AccountClosed'>): void {
  const { slices, paidDebt, amount, balanceAfter, at } = closed
  for (const slice of slices) takeFromGrant(state, slice.grantId, slice.amount)
  moveDebt(state, -paidDebt)
  state.closedAt = at
  for (const key of state.keys.values()) key.revokedAt ??= at
  moveBalance(state, amount, balanceAfter)
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

function revokeKey(state: AccountState, { keyId, at }: DataOf<'ApiKeyRevoked'>): void {
  const key = state.keys.get(keyId)
  if (key !== undefined) key.revokedAt = at
}

function renameKey(state: AccountState, { keyId, name }: DataOf<'ApiKeyRenamed'>): void {
  const key = state.keys.get(keyId)
  if (key !== undefined) key.name = name
}

function endKeyAt(state: AccountState, { keyId, expiresAt }: DataOf<'ApiKeyExpirySet'>): void {
  const key = state.keys.get(keyId)
  if (key !== undefined) key.expiresAt = expiresAt
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

function addCredit(state: AccountState, terms: Omit<Grant, 'expired' | 'voidedAt'>): void {
  const { grantId, remaining } = terms
  const grant: Grant = { ...terms, expired: 0n, voidedAt: null }
  if (state.grants.has(grantId)) throw new InconsistentHistoryError(`${grantId} is granted twice`)
  state.grants.set(grantId, grant)
  if (remaining > 0n) insertInBurnOrder(state.burning, grant)
}

function voidGrant(state: AccountState, voided: DataOf<'GrantVoided'>): void {
  const { grantId, amount, slices, debt, balanceAfter, at } = voided
  for (const slice of slices) takeFromGrant(state, slice.grantId, slice.amount)
  moveDebt(state, debt)
  const grant = state.grants.get(grantId)
  if (grant !== undefined) grant.voidedAt = at
  moveBalance(state, -amount, balanceAfter)
}

function refund(state: AccountState, refunded: DataOf<'CreditRefunded'>): void {
  const { refundId, requestId, amount, refundedBefore, paidDebt, slices, credit, at } = refunded
  for (const slice of slices) returnToGrant(state, slice.grantId, slice.amount)
  addCorrection(state, refundId, 'paid', credit, at)
  moveDebt(state, -paidDebt)
  const before = refundsBefore(state, refunded)
  const refunds = [...before, { refundId, amount }]
  state.refunds.set(requestId, { total: refundedBefore + amount, refunds })
  if (state.refunds.size > REFUNDED_REQUESTS_MAX) {
    forgetOldest(state.refunds)
    state.hasForgottenRefunds = true
  }
  state.correctionsMade += 1
  moveBalance(state, amount, refunded.balanceAfter)
}

/** How much may still be given back depends on how much was. */
function refundsBefore(
  { refunds, hasForgottenRefunds }: AccountState,
  { requestId, refundedBefore }: DataOf<'CreditRefunded'>,
): readonly RecordedRefund[] {
  const known = refunds.get(requestId)
  const total = known?.total ?? (hasForgottenRefunds ? refundedBefore : 0n)
  if (total !== refundedBefore) {
    const message = `${requestId} was refunded ${total}, an event says ${refundedBefore}`
    throw new InconsistentHistoryError(message)
  }
  return known?.refunds ?? []
}

function adjust(state: AccountState, adjusted: DataOf<'BalanceAdjusted'>): void {
  const { adjustmentId, amount, paidDebt, credit, slices, debt, category, at } = adjusted
  for (const slice of slices) takeFromGrant(state, slice.grantId, slice.amount)
  addCorrection(state, adjustmentId, category, credit, at)
  moveDebt(state, debt - paidDebt)
  if (state.adjustments.has(adjustmentId)) {
    throw new InconsistentHistoryError(`${adjustmentId} is adjusted twice`)
  }
  state.adjustments.set(adjustmentId, { amount, content: contentOfAdjustment(adjusted) })
  const { correction } = adjusted
  // A run may adjust both kinds of credit.
  if (correction !== null && state.priceCorrections.at(-1)?.runId !== correction.runId) {
    state.priceCorrections.push(correction)
  }
  state.correctionsMade += 1
  moveBalance(state, amount, adjusted.balanceAfter)
}

/** Credit that a correction brings: a grant with the id of the correction, which never expires. */
function addCorrection(
  state: AccountState,
  grantId: string,
  category: Grant['category'],
  amount: PicoDollars,
  grantedAt: number,
): void {
  if (amount === 0n) return
  const terms = { priority: CORRECTION_PRIORITY, expiresAt: null, reference: null }
  addCredit(state, { grantId, amount, category, ...terms, grantedAt, remaining: amount })
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
  if (known.size <= IDEMPOTENCY_KEYS_MAX) return
  forgetOldest(known)
  state.hasForgottenKeys = true
}

function debit(state: AccountState, debited: DataOf<'CreditDebited'>): void {
  const { requestId, amount, slices, debt, balanceAfter } = debited
  for (const slice of slices) takeFromGrant(state, slice.grantId, slice.amount)
  moveDebt(state, debt)
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

function expire(state: AccountState, { grantId, amount }: DataOf<'CreditExpired'>): void {
  takeFromGrant(state, grantId, amount)
  const grant = state.grants.get(grantId)
  if (grant !== undefined) grant.expired += amount
}

function returnToGrant(state: AccountState, grantId: string, amount: PicoDollars): void {
  const grant = state.grants.get(grantId)
  if (grant === undefined || grant.remaining + amount > grant.amount) {
    throw new InconsistentHistoryError(`${grantId} cannot have ${amount} back`)
  }
  if (grant.remaining === 0n) insertInBurnOrder(state.burning, grant)
  grant.remaining += amount
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

function moveDebt(state: AccountState, change: PicoDollars): void {
  state.debt += change
  if (state.debt < 0n) {
    throw new InconsistentHistoryError(`${-state.debt} is paid of a debt that there is not`)
  }
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
