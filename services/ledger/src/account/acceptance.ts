/**
 * Decides whether a request may run, and how much credit it holds while it does.
 *
 *     available = balance − holds            both without credit that has expired
 *     worst case = prompt × input price + output limit × output price
 *
 *     balance ≤ 0                  → refused
 *     worst case ≤ available       → holds the worst case
 *     otherwise, by spend policy:
 *       standard, something available and no under-held request open
 *                                  → holds all that is available: it is *under-held*
 *       standard, else             → waits for a request to end
 *       strict                     → the output limit is lowered to what is affordable now, if that
 *                                    is at least half of what would be affordable if nothing else
 *                                    ran
 *       strict, its worker runs    → refused: what another process spent meanwhile is missing
 *       strict, else               → waits for a request to end; refused if the whole balance
 *                                    would not pay for the prompt and one token
 *
 * Why `standard` goes below zero by at most one request. Available credit falls below zero only
 * when an under-held request costs more than it held, and then by no more than that difference.
 * Nothing under-held is let in unless something is available and nothing else under-held is open,
 * so at most one such difference is ever outstanding. Every fully held request costs at most its
 * hold. Hence available ≥ −(cost − hold) of the last under-held request, and the balance, which is
 * available + holds, is no lower.
 *
 * Why `strict` waits. An answer that is cut short costs its prompt all the same. What other
 * requests hold comes back when they end, mostly: they seldom cost their worst case. So a limit
 * that is low because of them is worth a wait, and a limit that is low because the account is
 * nearly empty is not: nothing that runs can make it higher.
 */
import type { AcceptRequest } from '@svc/contracts/commands'
import { ACCOUNT_FROZEN, type ShortFunds } from '@svc/contracts/errors'
import {
  insufficientFundsText,
  type NeedBound,
  neededAndAvailable,
} from '@svc/contracts/insufficient-funds'
import type { PicoDollars } from '@svc/contracts/money'
import { type PriceVersion, worstCase } from '@svc/contracts/price'
import { isTokenCount } from '@svc/contracts/tokens'
import { type ExpiredCredit, expiredCredit } from './credit.ts'
import { type Decision, happens, refused } from './decision.ts'
import { type AccountState, IDEMPOTENCY_KEYS_MAX, isActive, OPEN_REQUESTS_MAX } from './state.ts'
import { refusalOfUsedKey } from './used-key.ts'

/** Says that an Idempotency-Key may be one that the account has forgotten. */
export const KEY_NOT_SEARCHED =
  'Whether this Idempotency-Key was used before is not known yet. Please try again.'
/** When to look again at a balance that is held by running requests. */
const BALANCE_RETRY_SECONDS = 5
const LOAD_RETRY_SECONDS = 1
/**
 * As many keys may have come since one was searched: none of them is forgotten. Half of what the
 * account remembers is left for the keys that a gateway has decided on and not yet written.
 */
const KEYS_SINCE_SEARCH_MAX = IDEMPOTENCY_KEYS_MAX / 2
/** The least part of the output limit that `strict` settles for while other requests run. */
const LEAST_USEFUL_SHARE = 0.5

type PricedRequest = AcceptRequest & { readonly price: PriceVersion }

/** What the account can spend at the moment of the decision. */
interface Funds {
  readonly balance: PicoDollars
  readonly available: PicoDollars
  readonly expired: ExpiredCredit
}

export function decideAccept(state: AccountState, command: AcceptRequest): Decision {
  const refusal = refuseCaller(state, command) ?? refuseRepetition(state, command)
  if (refusal !== undefined) return refusal
  const { price } = command
  if (price === null) return unpriced(command)
  return price === undefined ? unknownPrice() : admit(state, { ...command, price })
}

function unpriced({ model, soldFrom }: AcceptRequest): Decision {
  const state =
    soldFrom === undefined
      ? `No price is published for the model ${model}.`
      : `The model ${model} has no price before {when}.`
  const message =
    `${state} Whoever runs this server publishes one with: ` +
    'svc price publish --input USD --cached-input USD --output USD'
  return refused('model_not_priced', message, { when: soldFrom })
}

/** Another gateway put the account on a list whose prices have not reached this one. */
function unknownPrice(): Decision {
  const message = 'The prices of this account are not known yet. Please try again.'
  return refused('view_behind', message, { retryAfterSeconds: LOAD_RETRY_SECONDS })
}

function refuseCaller(state: AccountState, command: AcceptRequest): Decision | undefined {
  const key = state.keys.get(command.keyId)
  if (key === undefined || !isActive(key, command.at)) {
    return refused('invalid_api_key', 'The API key is not valid.')
  }
  if (state.frozenAt !== null) return refused('account_frozen', ACCOUNT_FROZEN)
  if (!isTokenCount(command.promptTokens)) return notACount('promptTokens')
  if (!isTokenCount(command.maxOutputTokens)) return notACount('maxOutputTokens')
  if (state.openRequests.size >= OPEN_REQUESTS_MAX) {
    const message = `The account has ${OPEN_REQUESTS_MAX} requests running, the most there can be.`
    return refused('rate_limit_exceeded', message, { retryAfterSeconds: LOAD_RETRY_SECONDS })
  }
  return undefined
}

/**
 * A request is never run twice, whether its own id or its Idempotency-Key comes again. A key whose
 * request ended without a debit is free: the fold has forgotten it.
 */
function refuseRepetition(state: AccountState, command: AcceptRequest): Decision | undefined {
  if (state.openRequests.has(command.requestId)) {
    const { requestId } = command
    return refused('conflict', 'The request is running already.', { requestId })
  }
  if (command.idempotency === null) return undefined
  const used = state.idempotencyKeys.get(command.idempotency.keyHash)
  if (used === undefined) return refuseUnsearchedKey(state, command)
  const isRunning = state.openRequests.has(used.requestId)
  const refusal = refusalOfUsedKey({ ...used, isRunning }, command.idempotency.bodyHash)
  return { kind: 'refused', refusal }
}

/**
 * A key that is not remembered may be one of those that were forgotten, also since it was searched:
 * a request can wait for an append whose outcome is unknown, while another gateway runs its retry.
 */
function refuseUnsearchedKey(state: AccountState, command: AcceptRequest): Decision | undefined {
  const { hasForgottenKeys, keysUsed } = state
  const { keysSearched } = command
  if (!hasForgottenKeys) return undefined
  if (keysSearched !== null && keysUsed - keysSearched <= KEYS_SINCE_SEARCH_MAX) return undefined
  return refused('view_behind', KEY_NOT_SEARCHED, { retryAfterSeconds: LOAD_RETRY_SECONDS })
}

function admit(state: AccountState, request: PricedRequest): Decision {
  const { price, promptTokens, maxOutputTokens } = request
  const funds = fundsOf(state, request.at)
  const needed = worstCase(price, promptTokens, maxOutputTokens)
  if (funds.balance <= 0n) return insufficient(needed, funds)
  if (needed <= funds.available) return accept(request, funds, needed, maxOutputTokens)
  if (state.spendPolicy === 'strict') return admitLowered(request, funds, needed)
  if (funds.available > 0n && state.underHeldRequestId === null) {
    return accept(request, funds, funds.available, maxOutputTokens, true)
  }
  return waits(needed, funds)
}

/** Lowers the output limit to what is affordable, so that the balance never goes below zero. */
function admitLowered(request: PricedRequest, funds: Funds, needed: PicoDollars): Decision {
  const { price, promptTokens, maxOutputTokens } = request
  const alone = affordableOutput(request, funds.balance)
  if (alone === undefined) {
    const least = worstCase(price, promptTokens, Math.min(1, maxOutputTokens))
    return insufficient(least, funds, 'at least')
  }
  if (request.isStarted) return waits(needed, funds)
  const now = affordableOutput(request, funds.available)
  if (now === undefined || now < alone * LEAST_USEFUL_SHARE) return waits(needed, funds)
  return accept(request, funds, worstCase(price, promptTokens, now), now)
}

/**
 * @returns the most output tokens, of those asked for, that the credit pays for beside the prompt;
 * undefined when it does not pay for the prompt and one token of the answer
 */
function affordableOutput(
  { price, promptTokens, maxOutputTokens }: PricedRequest,
  credit: PicoDollars,
): number | undefined {
  if (worstCase(price, promptTokens, maxOutputTokens) <= credit) return maxOutputTokens
  if (worstCase(price, promptTokens, Math.min(1, maxOutputTokens)) > credit) return undefined
  // The output has a price here: without one, one token would cost as much as all of them.
  return Number((credit - worstCase(price, promptTokens, 0)) / price.output)
}

function accept(
  request: PricedRequest,
  { expired }: Funds,
  hold: PicoDollars,
  maxOutputTokens: number,
  underHeld = false,
): Decision {
  const { requestId, keyId, gatewayId, format, model, price } = request
  const { promptTokens, idempotency, deadline, at } = request
  return happens(...expired.events, {
    type: 'RequestAccepted',
    data: {
      requestId,
      keyId,
      gatewayId,
      format,
      model,
      price: pinned(price),
      promptTokens,
      maxOutputTokens,
      hold,
      underHeld,
      idempotency,
      deadline,
      at,
    },
  })
}

/** The version alone: what else the price list knows about it does not belong in the event. */
function pinned({ version, input, cachedInput, output }: PriceVersion): PriceVersion {
  return { version, input, cachedInput, output }
}

function fundsOf(state: AccountState, at: number): Funds {
  const expired = expiredCredit(state, at)
  const balance = state.balance - expired.amount
  return { balance, available: balance - state.held - beyondHold(state), expired }
}

/**
 * How far a request that began before the policy became `strict` may still go beyond what it holds.
 */
function beyondHold({ spendPolicy, underHeldRequestId, openRequests }: AccountState): PicoDollars {
  const request = openRequests.get(underHeldRequestId ?? '')
  if (spendPolicy !== 'strict' || request === undefined) return 0n
  return worstCase(request.price, request.promptTokens, request.maxOutputTokens) - request.hold
}

function insufficient(needed: PicoDollars, funds: Funds, bound: NeedBound = 'up to'): Decision {
  const { balance: settled, available } = funds
  const message = insufficientFundsText(needed, bound, { settled, available })
  return refused('insufficient_quota', message, { funds: shortOf(needed, funds) })
}

/** Makes the request wait for a running one to end. The refusal is for when that takes too long. */
function waits(needed: PicoDollars, funds: Funds): Decision {
  const amounts = neededAndAvailable(needed, 'up to', funds)
  const message = `Running requests hold the rest of the balance: ${amounts}.`
  const details = { retryAfterSeconds: BALANCE_RETRY_SECONDS, funds: shortOf(needed, funds) }
  return { kind: 'waits', refusal: { code: 'balance_in_use', message, ...details } }
}

function shortOf(required: PicoDollars, { available, balance }: Funds): ShortFunds {
  return { required, available, held: balance - available }
}

function notACount(param: string): Decision {
  return refused('invalid_value', `${param} is not a number of tokens.`, { param })
}
