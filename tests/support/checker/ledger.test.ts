/**
 * Whatever an account is asked to do, in any order: the checker finds nothing in what the ledger
 * writes.
 */
import type { AccountCommand, RecordedCharge } from '@svc/contracts/commands'
import type { AccountEvent } from '@svc/contracts/events/account'
import { accountDecider } from '@svc/ledger/account/decider'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from './check.ts'
import { logOf, price, published } from './event-log.ts'

const { decide, evolve, initialState } = accountDecider

const DAY_MS = 86_400_000
const names = fc.integer({ min: 1, max: 8 })
const tokens = fc.integer({ min: 0, max: 60 })
/** Between nothing and what some ten requests cost. */
const credit = fc.bigInt({ min: 1n, max: 10_000n })
const policy = fc.constantFrom('standard' as const, 'strict' as const)

type Step = (at: number) => AccountCommand

const base = { actor: 'test' }
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(names, tokens, tokens).map(accept) },
  { weight: 4, arbitrary: fc.tuple(names, tokens, tokens, tokens, fc.boolean()).map(settle) },
  { weight: 2, arbitrary: fc.tuple(names, credit, fc.integer({ min: 0, max: 3 })).map(grant) },
  names.map((name): Step => {
    return (at) => ({ ...base, type: 'FailRequest', requestId: `req_${name}`, reason: 'r', at })
  }),
  names.map((name): Step => {
    return (at) => ({ ...base, type: 'AbandonRequest', requestId: `req_${name}`, reason: 'r', at })
  }),
  policy.map(
    (spendPolicy): Step =>
      (at) => ({
        ...base,
        type: 'SetSpendPolicy',
        spendPolicy,
        changeId: `chg_${at}`,
        reason: '',
        at,
      }),
  ),
  fc.constant<Step>((at) => ({ ...base, type: 'ExpireCredit', at })),
  { weight: 2, arbitrary: correctionStep() },
)

test('a ledger breaks no invariant', () => {
  const steps = fc.array(anyStep, { maxLength: 120, size: 'max' })
  fc.assert(
    fc.property(policy, steps, (spendPolicy, commands) => {
      const events = run([...opening(spendPolicy), ...commands])
      expect(check([], logOf(published, ...events))).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test('and the commands reach every end of a request, debts included', () => {
  const seen = new Set<string>()
  const steps = fc.array(anyStep, { maxLength: 120, size: 'max' })
  for (const commands of fc.sample(steps, { numRuns: 300, seed: 1 })) {
    for (const event of run([...opening('standard'), ...commands])) {
      for (const what of happenings(event)) seen.add(what)
    }
  }
  expect([...seen]).toEqual(
    expect.arrayContaining([
      'CreditDebited',
      'RequestFailed',
      'RequestAbandoned',
      'CreditExpired',
      'under-held',
      'debt',
      'paid debt',
      'GrantVoided',
      'CreditRefunded',
      'BalanceAdjusted',
      'voided debt',
      'returned slices',
    ]),
  )
})

function happenings({ type, data }: AccountEvent): readonly string[] {
  const special: Readonly<Record<string, boolean>> = {
    debt: type === 'CreditDebited' && data.balanceAfter < 0n,
    'voided debt': type === 'GrantVoided' && data.debt > 0n,
    'returned slices': type === 'CreditRefunded' && data.slices.length > 0,
    'paid debt': type === 'CreditGranted' && data.paidDebt > 0n,
    'under-held': type === 'RequestAccepted' && data.underHeld,
  }
  return [type, ...Object.keys(special).filter((name) => special[name])]
}

/** The charge of a refund is looked up in the log when it comes to it: see `run`. */
function correctionStep(): fc.Arbitrary<Step> {
  const change = fc.nat(30).map((index) => ({ changeId: `chg_${index}`, reason: 'r' }))
  const movement = { reference: null, reason: 'r' }
  return fc.oneof(
    fc.tuple(names, change).map(([name, asked]): Step => {
      const grantId = `grant_${name}`
      return (at) => ({ ...base, type: 'VoidGrant', grantId, ...asked, ...movement, at })
    }),
    fc.tuple(names, names, fc.option(credit)).map(([name, refund, amount]): Step => {
      const ids = { refundId: `refund_${refund}`, requestId: `req_${name}` }
      const asked = { ...ids, amount, charge: noCharge, correctionsSeen: 0, ...movement }
      return (at) => ({ ...base, type: 'RefundRequest', ...asked, at })
    }),
    fc.tuple(names, credit, fc.boolean()).map(([name, amount, down]): Step => {
      const how = { category: 'paid' } as const
      const terms = { adjustmentId: `adj_${name}`, amount: down ? -amount : amount }
      return (at) => ({ ...base, type: 'AdjustBalance', ...terms, ...how, ...movement, at })
    }),
    change.map(
      (asked): Step =>
        (at) => ({ ...base, type: 'FreezeAccount', ...asked, at }),
    ),
    { weight: 2, arbitrary: change.map(unfreeze) },
  )
}

function unfreeze(asked: { readonly changeId: string; readonly reason: string }): Step {
  return (at) => ({ ...base, type: 'UnfreezeAccount', ...asked, at })
}

const noCharge: RecordedCharge = {
  amount: 0n,
  slices: [],
  debt: 0n,
  version: price.version,
  acceptedAt: 0,
  counts: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
  refunds: [],
}

function chargeIn(events: readonly AccountEvent[], requestId: string): RecordedCharge | undefined {
  const debit = events.find(
    ({ type, data }) => type === 'CreditDebited' && data.requestId === requestId,
  )
  if (debit?.type !== 'CreditDebited') return undefined
  const { amount, slices, debt } = debit.data
  return { ...noCharge, amount, slices, debt }
}

/**
 * Decides every command in turn, then ends what still runs. A request that ended is never run
 * again.
 */
function run(steps: readonly Step[]): readonly AccountEvent[] {
  const events: AccountEvent[] = []
  let state = initialState()
  const apply = (command: AccountCommand) => {
    if (command.type === 'AcceptRequest' && wasAccepted(events, command.requestId)) return
    const charged = withCharge(events, command)
    if (charged === undefined) return
    const decision = decide(state, charged)
    if (decision.kind !== 'happens') return
    for (const event of decision.events) state = evolve(state, event)
    events.push(...decision.events)
  }
  for (const [index, step] of steps.entries()) apply(step(index * DAY_MS))
  for (const requestId of [...state.openRequests.keys()]) {
    apply({ ...base, type: 'AbandonRequest', requestId, reason: 'end', at: steps.length * DAY_MS })
  }
  return events
}

/** @returns undefined for a refund of what was not charged: the ledger asks for none */
function withCharge(
  events: readonly AccountEvent[],
  command: AccountCommand,
): AccountCommand | undefined {
  if (command.type !== 'RefundRequest') return command
  const charge = chargeIn(events, command.requestId)
  return charge && { ...command, charge }
}

/** Request ids are made by the server, each once. */
function wasAccepted(events: readonly AccountEvent[], requestId: string): boolean {
  return events.some(({ type, data }) => type === 'RequestAccepted' && data.requestId === requestId)
}

function opening(spendPolicy: 'standard' | 'strict'): readonly Step[] {
  const unnamed = { externalId: null, metadata: {} }
  const account = { accountId: 'acct_1', name: 'a', spendPolicy, ...unnamed }
  const secret = { secretHash: 'h', lastFour: 'abcd', expiresAt: null }
  const key = { keyId: 'key_1', name: 'k', ...secret, ...unnamed }
  return [
    (at) => ({ ...base, type: 'OpenAccount', ...account, at }),
    (at) => ({ ...base, type: 'CreateApiKey', ...key, at }),
  ]
}

function accept([name, promptTokens, maxOutputTokens]: [number, number, number]): Step {
  return (at) => ({
    ...base,
    type: 'AcceptRequest',
    requestId: `req_${name}`,
    keyId: 'key_1',
    gatewayId: 'gw_1',
    format: 'chat',
    model: 'm',
    price,
    promptTokens,
    maxOutputTokens,
    isStarted: false,
    idempotency: null,
    keysSearched: null,
    deadline: at,
    at,
  })
}

function settle([name, input, cached, output, fails]: [
  number,
  number,
  number,
  number,
  boolean,
]): Step {
  return (at) => ({
    ...base,
    type: 'SettleRequest',
    requestId: `req_${name}`,
    meter: {
      inputTokens: input,
      cachedInputTokens: cached,
      outputTokens: output,
      reasoningTokens: 0,
      workerId: 'wrk_1',
      cache: {
        schedule: 'any-token',
        reusedTokens: 0,
        blocks: 0,
        source: 'none',
        lastBlockHash: null,
        evaluatedTokens: input,
      },
      latencies: { queueMs: 0, prefillMs: 0, firstTokenMs: null, totalMs: 0 },
    },
    finishReason: fails ? 'error' : 'stop',
    rule: fails ? 'delivered_before_failure' : 'metered',
    failure: fails ? 'worker_failed' : null,
    at,
  })
}

function grant([name, amount, lifeDays]: [number, bigint, number]): Step {
  return (at) => ({
    ...base,
    type: 'GrantCredit',
    grantId: `grant_${name}`,
    amount,
    category: lifeDays > 1 ? 'paid' : 'promotional',
    priority: name,
    expiresAt: lifeDays === 0 ? null : at + lifeDays * DAY_MS,
    reference: null,
    reason: 'r',
    changeId: null,
    at,
  })
}
