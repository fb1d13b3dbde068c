/**
 * Decides what a request costs when it ends.
 *
 * A settlement is never refused for lack of credit: what was made is debited, and what no grant
 * covers is debt. It bills what the worker metered, and never more than was accepted.
 */

import { boundedMeter } from '@svc/contracts/bounded-meter'
import type { AbandonRequest, FailRequest, SettleRequest } from '@svc/contracts/commands'
import type { AccountEvent } from '@svc/contracts/events/account'
import { costLines } from '@svc/contracts/price'
import type { TokenCounts } from '@svc/contracts/tokens'
import { workerMeter } from '@svc/contracts/worker/protocol'
import { burnDown } from './burn-down.ts'
import { type AccountFunds, fundsAfterExpiry } from './credit.ts'
import { type Decision, happens, refused } from './decision.ts'
import type { AccountState, OpenRequest } from './state.ts'

export function decideSettle(state: AccountState, command: SettleRequest): Decision {
  const { requestId, finishReason, rule, failure, at } = command
  const request = state.openRequests.get(requestId)
  if (request === undefined) return notRunning(requestId)
  // What could not be read back would stop the account; what is negative would be a gift.
  const claim = workerMeter.safeParse(command.meter)
  if (!claim.success) {
    return refused('internal_error', 'The meter of the request is unreadable.', { requestId })
  }
  const meter = boundedMeter(claim.data, request)
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens } = meter
  const { workerId, cache, latencies } = meter
  const counts = { inputTokens, cachedInputTokens, outputTokens }
  const { expired, debited } = creditDebited(state, request, counts, at)
  const events: AccountEvent[] = [
    ...expired,
    {
      type: 'TokensMetered',
      data: {
        requestId,
        ...counts,
        reasoningTokens,
        workerId,
        cache,
        finishReason,
        rule,
        latencies,
        at,
      },
    },
    debited,
  ]
  if (failure !== null) {
    events.push({ type: 'RequestFailed', data: { requestId, reason: failure, at } })
  }
  return happens(...events)
}

/**
 * Ends the hold of a request and charges nothing: nothing of it was delivered, or its gateway died.
 */
export function decideUncharged(
  state: AccountState,
  command: FailRequest | AbandonRequest,
): Decision {
  const { requestId, reason, at } = command
  if (!state.openRequests.has(requestId)) return notRunning(requestId)
  const type = command.type === 'FailRequest' ? 'RequestFailed' : 'RequestAbandoned'
  return happens({ type, data: { requestId, reason, at } })
}

function creditDebited(
  state: AccountState,
  { requestId, price, hold }: OpenRequest,
  counts: TokenCounts,
  at: number,
): Pick<AccountFunds, 'expired'> & { readonly debited: AccountEvent } {
  const lines = costLines(price, counts)
  const amount = lines.reduce((sum, line) => sum + line.amount, 0n)
  const { expired, credit, balance } =
    amount > hold ? fundsAfterExpiry(state, at) : withoutExpiry(state)
  const { slices, debt } = burnDown(credit, amount)
  const balanceAfter = balance - amount
  const debit = {
    requestId,
    amount,
    lines: [...lines],
    slices: [...slices],
    debt,
    balanceAfter,
    at,
  }
  return { expired, debited: { type: 'CreditDebited', data: debit } }
}

/** What a request costs within its hold is taken from what does not expire before it has ended. */
function withoutExpiry({ burning, balance }: AccountState): AccountFunds {
  return { expired: [], credit: burning, balance }
}

function notRunning(requestId: string): Decision {
  return refused('conflict', 'The request has ended already, or was never accepted.', { requestId })
}
