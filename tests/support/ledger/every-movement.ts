/** A true history of one account, in which every event that moves money occurs. */
import type { AccountCommand, RecordedCharge } from '@svc/contracts/commands'
import type { AccountEvent, AccountEventOf } from '@svc/contracts/events/account'
import { accountDecider } from '@svc/ledger/account/decider'
import { START_MS } from '../manual-time.ts'
import {
  accept,
  createKey,
  grant,
  grantId,
  meter,
  open,
  price,
  requestId,
  sampleId,
  settle,
} from './sample.ts'

const { decide, evolve, initialState } = accountDecider
const EXPIRY_MS = START_MS + 1_000

const operator = { actor: 'operator', at: EXPIRY_MS, reason: 'a mistake', reference: null }
const change = (index: number) => ({ ...operator, changeId: sampleId('chg', index) })
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
    refund(1, 4, 20n),
    refund(2, 4, null),
    // What paid the request has expired: the refund becomes credit of its own.
    refund(3, 1, 30n),
    adjust(1, 30n, 'paid'),
    adjust(2, 7n, 'promotional'),
    adjust(3, -9n, 'paid'),
    accept(5, { promptTokens: 100, maxOutputTokens: 100, at: EXPIRY_MS }),
    settle(5, { meter: meterOf(60, 40, 20), at: EXPIRY_MS }),
    refund(4, 5, 30n),
    grant(3, 200n, { at: EXPIRY_MS }),
    { ...change(1), type: 'VoidGrant', grantId: grantId(1) },
    adjust(4, -300n, 'paid'),
    adjust(5, 350n, 'paid'),
    { ...change(2), type: 'CloseAccount', remainder: 'paid_out' },
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

function refund(index: number, request: number, amount: bigint | null): AccountCommand {
  const charge: RecordedCharge = {
    amount: 0n,
    slices: [],
    debt: 0n,
    version: price.version,
    acceptedAt: START_MS,
    counts: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
    refunds: [],
  }
  const ids = { requestId: requestId(request), refundId: sampleId('refund', index) }
  return { ...operator, type: 'RefundRequest', ...ids, amount, charge }
}

function adjust(
  index: number,
  amount: bigint,
  category: AccountEventOf<'BalanceAdjusted'>['data']['category'],
): AccountCommand {
  const adjustmentId = sampleId('adj', index)
  return { ...operator, type: 'AdjustBalance', adjustmentId, amount, category }
}
