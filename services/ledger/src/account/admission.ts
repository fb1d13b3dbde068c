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
 *       strict                     → the output limit is lowered to what is affordable, or refused
 *
 * Why `standard` goes below zero by at most one request. Available credit falls below zero only
 * when an under-held request costs more than it held, and then by no more than that difference.
 * Nothing under-held is let in unless something is available and nothing else under-held is open,
 * so at most one such difference is ever outstanding. Every fully held request costs at most its
 * hold. Hence available ≥ −(cost − hold) of the last under-held request, and the balance, which is
 * available + holds, is no lower.
 */
import type { AcceptRequest } from '@svc/contracts/commands'
import { formatExact, type PicoDollars } from '@svc/contracts/money'
import { type PriceVersion, worstCase } from '@svc/contracts/price'
import { tokenCount } from '@svc/contracts/tokens'
import { type ExpiredCredit, expiredCredit } from './credit.ts'
import { type Decision, happens, refused } from './decision.ts'
import { type AccountState, isActive, MAX_OPEN_REQUESTS, usedIdempotencyKey } from './state.ts'

/** When to look again at a balance that is held by running requests. */
const BALANCE_RETRY_SECONDS = 5
const LOAD_RETRY_SECONDS = 1

type PricedRequest = AcceptRequest & { readonly price: PriceVersion }

/** What the account can spend at the moment of the decision. */
interface Funds {
  readonly balance: PicoDollars
  readonly available: PicoDollars
  readonly expired: ExpiredCredit
}

export function decideAccept(state: AccountState, command: AcceptRequest): Decision {
  return (
    refuseCaller(state, command) ??
    refuseRepetition(state, command) ??
    (command.price === null
      ? refused('model_not_priced', `No price is published for the model ${command.model}.`)
      : admit(state, { ...command, price: command.price }))
  )
}

function refuseCaller(state: AccountState, command: AcceptRequest): Decision | undefined {
  const key = state.keys.get(command.keyId)
  if (key === undefined || !isActive(key, command.at)) {
    return refused('invalid_api_key', 'The API key is not valid.')
  }
  if (!isCount(command.promptTokens)) return notACount('promptTokens')
  if (!isCount(command.maxOutputTokens)) return notACount('maxOutputTokens')
  if (state.openRequests.size >= MAX_OPEN_REQUESTS) {
    const message = `The account has ${MAX_OPEN_REQUESTS} requests running, the most there can be.`
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
  const used = usedIdempotencyKey(state, command.idempotency.keyHash, command.at)
  if (used === undefined) return undefined
  const { requestId } = used
  if (used.bodyHash !== command.idempotency.bodyHash) {
    const message = 'This Idempotency-Key was used with a different body.'
    return refused('idempotency_key_reused', message, { requestId })
  }
  if (state.openRequests.has(requestId)) {
    const message = 'A request with this Idempotency-Key is still running.'
    const retryAfterSeconds = LOAD_RETRY_SECONDS
    return refused('idempotency_key_in_use', message, { requestId, retryAfterSeconds })
  }
  const message = `The request of this Idempotency-Key has ended; its receipt is ${requestId}.`
  return refused('idempotency_answer_gone', message, { requestId })
}

function admit(state: AccountState, request: PricedRequest): Decision {
  const { price, promptTokens, maxOutputTokens } = request
  const funds = fundsOf(state, request.at)
  const needed = worstCase(price, promptTokens, maxOutputTokens)
  if (funds.balance <= 0n) return insufficient(needed, funds)
  if (needed <= funds.available) return accept(request, funds, needed, maxOutputTokens)
  if (state.spendPolicy === 'strict') return admitStrict(request, funds)
  if (funds.available > 0n && state.underHeldRequestId === null) {
    return accept(request, funds, funds.available, maxOutputTokens, true)
  }
  return { kind: 'waits', refusal: balanceInUse(needed, funds) }
}

/** Lowers the output limit to what is affordable, so that the balance never goes below zero. */
function admitStrict(request: PricedRequest, funds: Funds): Decision {
  const { price, promptTokens, maxOutputTokens } = request
  const least = worstCase(price, promptTokens, Math.min(1, maxOutputTokens))
  if (least > funds.available) {
    return least <= funds.balance
      ? { kind: 'refused', refusal: balanceInUse(least, funds) }
      : insufficient(least, funds)
  }
  // The output has a price here: without one, the least would be the worst case and be affordable.
  const room = funds.available - worstCase(price, promptTokens, 0)
  const perToken = price.output
  const affordable = Number(room / perToken)
  return accept(request, funds, worstCase(price, promptTokens, affordable), affordable)
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
  return { balance, available: balance - state.held, expired }
}

function insufficient(needed: PicoDollars, funds: Funds): Decision {
  return refused('insufficient_quota', `The balance does not cover it: ${amounts(needed, funds)}.`)
}

function balanceInUse(needed: PicoDollars, funds: Funds) {
  return {
    code: 'balance_in_use',
    message: `Running requests hold the rest of the balance: ${amounts(needed, funds)}.`,
    retryAfterSeconds: BALANCE_RETRY_SECONDS,
  } as const
}

function amounts(needed: PicoDollars, { available }: Funds): string {
  return `the request needs up to $${formatExact(needed)}, available is ${dollars(available)}`
}

function dollars(amount: PicoDollars): string {
  return amount < 0n ? `-$${formatExact(-amount)}` : `$${formatExact(amount)}`
}

function isCount(tokens: number): boolean {
  return tokenCount.safeParse(tokens).success
}

function notACount(param: string): Decision {
  return refused('invalid_value', `${param} is not a number of tokens.`, { param })
}
