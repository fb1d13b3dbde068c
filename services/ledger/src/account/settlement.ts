/**
 * Decides what a request costs when it ends.
 *
 * A settlement is never refused for lack of credit: what was made is debited, and what no grant
 * covers is debt. It bills what the worker metered, and never more than was accepted: where the
 * meter says more than the request can have needed, the customer gets the cheaper reading.
 */
import type { AbandonRequest, FailRequest, SettleRequest } from '@svc/contracts/commands'
import type { AccountEvent } from '@svc/contracts/events/account'
import { costLines } from '@svc/contracts/price'
import type { TokenCounts } from '@svc/contracts/tokens'
import { type WorkerMeter, workerMeter } from '@svc/contracts/worker-protocol'
import { burnDown } from './burn-down.ts'
import { type Decision, happens, refused } from './decision.ts'
import type { AccountState, OpenRequest } from './state.ts'

export function decideSettle(state: AccountState, command: SettleRequest): Decision {
  const { requestId, finishReason, rule, failure, at } = command
  const request = state.openRequests.get(requestId)
  if (request === undefined) return notRunning(requestId)
  // What could not be read back would stop the account; what is negative would be a gift.
  const meter = workerMeter.safeParse(command.meter)
  if (!meter.success) {
    return refused('internal_error', 'The meter of the request is unreadable.', { requestId })
  }
  const counts = billableCounts(meter.data, request)
  const reasoningTokens = Math.min(meter.data.reasoningTokens, counts.outputTokens)
  const { workerId, cache, latencies } = meter.data
  const events: AccountEvent[] = [
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
    creditDebited(state, request, counts, at),
  ]
  if (failure !== null) {
    events.push({ type: 'RequestFailed', data: { requestId, reason: failure, at } })
  }
  return happens(...events)
}

/** Nothing was delivered: the hold ends and nothing is charged. */
export function decideFail(state: AccountState, command: FailRequest): Decision {
  const { requestId, reason, at } = command
  if (!state.openRequests.has(requestId)) return notRunning(requestId)
  return happens({ type: 'RequestFailed', data: { requestId, reason, at } })
}

/** The gateway died: the hold ends and nothing is charged. */
export function decideAbandon(state: AccountState, command: AbandonRequest): Decision {
  const { requestId, reason, at } = command
  if (!state.openRequests.has(requestId)) return notRunning(requestId)
  return happens({ type: 'RequestAbandoned', data: { requestId, reason, at } })
}

/**
 * The metered triple, but no class above what was accepted. What a prompt has too much is taken off
 * the computed tokens first, because they are the dearer ones.
 */
export function billableCounts(meter: WorkerMeter, accepted: OpenRequest): TokenCounts {
  const cachedInputTokens = Math.min(meter.cachedInputTokens, accepted.promptTokens)
  const inputTokens = Math.min(meter.inputTokens, accepted.promptTokens - cachedInputTokens)
  const outputTokens = Math.min(meter.outputTokens, accepted.maxOutputTokens)
  return { inputTokens, cachedInputTokens, outputTokens }
}

function creditDebited(
  state: AccountState,
  { requestId, price }: OpenRequest,
  counts: TokenCounts,
  at: number,
): AccountEvent {
  const lines = costLines(price, counts)
  const amount = lines.reduce((sum, line) => sum + line.amount, 0n)
  const { slices, debt } = burnDown(state.burning, amount)
  const balanceAfter = state.balance - amount
  return {
    type: 'CreditDebited',
    data: { requestId, amount, lines: [...lines], slices: [...slices], debt, balanceAfter, at },
  }
}

function notRunning(requestId: string): Decision {
  return refused('conflict', 'The request has ended already, or was never accepted.', { requestId })
}
