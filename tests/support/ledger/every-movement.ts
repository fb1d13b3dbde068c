/** A true history of one account, in which every event that moves money occurs. */
import type { AccountCommand } from '@svc/contracts/commands'
import type { AccountEvent } from '@svc/contracts/events/account'
import { accountDecider } from '@svc/ledger/account/decider'
import { START_MS } from '../manual-time.ts'
import { accept, createKey, grant, meter, open, requestId, settle } from './sample.ts'
import { adjust, close, refund, voidOf } from './sample-corrections.ts'

const { decide, evolve, initialState } = accountDecider
const EXPIRY_MS = START_MS + 1_000

const later = { at: EXPIRY_MS }
const operator = { ...later, actor: 'operator', reason: 'a mistake' }
const refundOf = (request: number, index: number, amount: bigint | null) =>
  refund(index, amount, { ...later, requestId: requestId(request) })
const limits = { promptTokens: 9, maxOutputTokens: 9, at: EXPIRY_MS }
const used = { meter: meterOf(5, 4, 9), at: EXPIRY_MS }

/** Requests cost 41 pico-dollars; that of the overdraft, 5, costs 220. */
function commands(): readonly AccountCommand[] {
  return [
    open(),
    createKey(),
    grant(1, 100n),
    grant(2, 60n, { category: 'promotional', priority: 1, expiresAt: EXPIRY_MS }),
    accept(1, { ...limits, at: START_MS }),
    settle(1, { ...used, at: START_MS }),
    accept(2),
    { ...operator, type: 'FailRequest', requestId: requestId(2) },
    accept(3),
    { ...operator, type: 'AbandonRequest', requestId: requestId(3) },
    { ...operator, type: 'ExpireCredit' },
    accept(4, limits),
    settle(4, { ...used, failure: 'worker_failed' }),
    refundOf(4, 1, 20n),
    refundOf(4, 2, null),
    // What paid the request has expired: the refund becomes credit of its own.
    refundOf(1, 3, 30n),
    adjust(1, 30n, later),
    adjust(2, 7n, { ...later, category: 'promotional' }),
    adjust(3, -9n, later),
    accept(5, { promptTokens: 100, maxOutputTokens: 100, at: EXPIRY_MS }),
    settle(5, { meter: meterOf(60, 40, 20), at: EXPIRY_MS }),
    refundOf(5, 4, 30n),
    grant(3, 200n, { at: EXPIRY_MS }),
    voidOf(1, later),
    adjust(4, -300n, later),
    adjust(5, 350n, later),
    close({ ...later, remainder: 'paid_out' }),
  ]
}

/** Decides the commands in turn. */
export function everyMovement(): readonly AccountEvent[] {
  const events: AccountEvent[] = []
  let state = initialState()
  for (const command of commands()) {
    const decision = decide(state, withCharge(command, events))
    if (decision.kind !== 'happens' || decision.events.length === 0) {
      throw new Error(`${command.type} does not happen`)
    }
    for (const event of decision.events) state = evolve(state, event)
    events.push(...decision.events)
  }
  return events
}

/** A refund is of what the request was charged, which is in the log. */
function withCharge(command: AccountCommand, events: readonly AccountEvent[]): AccountCommand {
  if (command.type !== 'RefundRequest') return command
  const { requestId: id, charge } = command
  const isOfIt = ({ data }: AccountEvent): boolean => 'requestId' in data && data.requestId === id
  const refunds = events
    .filter((event) => event.type === 'CreditRefunded')
    .filter(isOfIt)
    .map(({ data }) => data)
  const debit = events.filter((event) => event.type === 'CreditDebited').find(isOfIt)
  return { ...command, charge: { ...charge, ...debit?.data, refunds } }
}

function meterOf(inputTokens: number, cachedInputTokens: number, outputTokens: number) {
  const cache = { ...meter().cache, reusedTokens: cachedInputTokens, evaluatedTokens: inputTokens }
  return meter({ inputTokens, cachedInputTokens, outputTokens, cache })
}
