/**
 * Whatever an account is asked to do, in any order: the checker finds nothing in what the ledger
 * writes.
 */
import type { AccountCommand } from '@svc/contracts/commands'
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
      (at) => ({ ...base, type: 'SetSpendPolicy', spendPolicy, at }),
  ),
  fc.constant<Step>((at) => ({ ...base, type: 'ExpireCredit', at })),
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
    for (const { type, data } of run([...opening('standard'), ...commands])) {
      seen.add(type)
      if (type === 'CreditDebited' && data.balanceAfter < 0n) seen.add('debt')
      if (type === 'CreditGranted' && data.paidDebt > 0n) seen.add('paid debt')
      if (type === 'RequestAccepted' && data.underHeld) seen.add('under-held')
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
    ]),
  )
})

/**
 * Decides every command in turn, then ends what still runs. A request that ended is never run
 * again.
 */
function run(steps: readonly Step[]): readonly AccountEvent[] {
  const events: AccountEvent[] = []
  let state = initialState()
  const apply = (command: AccountCommand) => {
    if (command.type === 'AcceptRequest' && wasAccepted(events, command.requestId)) return
    const decision = decide(state, command)
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

/** Request ids are made by the server, each once. */
function wasAccepted(events: readonly AccountEvent[], requestId: string): boolean {
  return events.some(({ type, data }) => type === 'RequestAccepted' && data.requestId === requestId)
}

function opening(spendPolicy: 'standard' | 'strict'): readonly Step[] {
  const key = { keyId: 'key_1', name: 'k', secretHash: 'h', lastFour: 'abcd', expiresAt: null }
  return [
    (at) => ({ ...base, type: 'OpenAccount', accountId: 'acct_1', name: 'a', spendPolicy, at }),
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
    idempotency: null,
    isKeySearched: false,
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
      cache: { blocks: 0, source: 'none', lastBlockHash: null, evaluatedTokens: input },
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
    at,
  })
}
