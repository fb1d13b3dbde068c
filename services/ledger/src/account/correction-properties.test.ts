/** What holds whatever the operator corrects: all commands, in any order, one after the other. */
import type { AccountCommand, RecordedCharge } from '@svc/contracts/commands'
import type { AccountEvent } from '@svc/contracts/events/account'
import {
  accept,
  createKey,
  grant,
  grantId,
  keyId,
  meter,
  open,
  price,
  requestId,
  sampleId,
  settle,
} from '@svc/testing/ledger/sample'
import { START_MS } from '@svc/testing/manual-time'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accountDecider } from './decider.ts'
import type { AccountState } from './state.ts'

const { decide, evolve, initialState } = accountDecider
const REQUESTS = 6
const asked = { actor: 'x', at: 0, reason: 'r' }
const movement = { ...asked, reference: null }
const index = fc.nat(5)
const amount = fc.bigInt(1n, 120n)
const change = fc.nat(40).map((number) => ({ ...asked, changeId: sampleId('chg', number) }))

const correction = fc
  .tuple(fc.nat(9), fc.bigInt(0n, 4n), fc.nat(200), fc.nat(400))
  .map(([run, rate, from, length]) => ({
    runId: sampleId('run', run),
    price: { version: price.version, input: rate, cachedInput: rate, output: rate },
    from: START_MS + from,
    to: START_MS + from + length + 1,
  }))

const anyCommand: fc.Arbitrary<AccountCommand> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.nat(REQUESTS), fc.nat(40), fc.integer({ min: 1, max: 40 }))
      .map(([request, promptTokens, maxOutputTokens]) =>
        accept(request, { promptTokens, maxOutputTokens }),
      ),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.nat(REQUESTS), fc.nat(40), fc.nat(40))
      .map(([request, inputTokens, outputTokens]) =>
        settle(request, { meter: meter({ inputTokens, outputTokens }) }),
      ),
  },
  fc.nat(REQUESTS).map((request) => ({
    ...{ ...asked, type: 'FailRequest' as const, requestId: requestId(request) },
  })),
  {
    weight: 3,
    arbitrary: fc
      .tuple(index, amount, fc.option(fc.nat(300)))
      .map(([number, granted, expiresIn]) =>
        grant(number, granted, { expiresAt: expiresIn === null ? null : START_MS + expiresIn }),
      ),
  },
  fc.constant({ type: 'ExpireCredit', actor: 'x', at: 0 } as const),
  {
    weight: 2,
    arbitrary: fc.tuple(index, change).map(([number, what]) => ({
      ...{ ...movement, ...what, type: 'VoidGrant' as const, grantId: grantId(number) },
    })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.nat(REQUESTS), index, fc.option(amount))
      .map(([request, refund, part]) => ({
        ...{ ...movement, type: 'RefundRequest' as const, requestId: requestId(request) },
        ...{ refundId: sampleId('refund', refund), amount: part, charge: unknownCharge },
      })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(index, fc.bigInt(-120n, 120n), fc.option(correction))
      .map(([number, moved, made]) => ({
        ...{ ...movement, type: 'AdjustBalance' as const, amount: moved, correction: made },
        ...{ adjustmentId: sampleId('adj', number), category: 'paid' as const },
        correctionsSeen: null,
      })),
  },
  change.map((what) => ({ ...what, type: 'FreezeAccount' as const })),
  { weight: 2, arbitrary: change.map((what) => ({ ...what, type: 'UnfreezeAccount' as const })) },
  change.map((what) => ({ ...what, type: 'RenameAccount' as const, name: 'n' })),
  change.map((what) => ({ ...what, type: 'RenameApiKey' as const, keyId, name: 'n' })),
  fc
    .tuple(change, fc.constantFrom('standard' as const, 'strict' as const))
    .map(([what, spendPolicy]) => ({ ...what, type: 'SetSpendPolicy' as const, spendPolicy })),
  fc
    .tuple(change, fc.constantFrom('none' as const, 'written_off' as const, 'paid_out' as const))
    .map(([what, remainder]) => ({
      ...{ ...movement, ...what, type: 'CloseAccount' as const, remainder },
    })),
)

const unknownCharge: RecordedCharge = {
  amount: 0n,
  slices: [],
  debt: 0n,
  version: price.version,
  acceptedAt: 0,
  counts: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
  refunds: [],
}

const histories = fc.array(fc.tuple(anyCommand, fc.nat(20)), { maxLength: 90, size: 'max' })

/** The log as the ledger finds it: of the request's last run, with what was refunded so far. */
function chargeIn(events: readonly AccountEvent[], id: string): RecordedCharge | undefined {
  let charge: RecordedCharge | undefined
  let acceptedAt = 0
  for (const { type, data } of events) {
    if (!('requestId' in data) || data.requestId !== id) continue
    if (type === 'RequestAccepted') acceptedAt = data.at
    if (type === 'CreditDebited') {
      const [input, cached, output] = data.lines.map(({ tokens }) => tokens)
      const counts = { inputTokens: input, cachedInputTokens: cached, outputTokens: output }
      charge = { ...unknownCharge, ...data, acceptedAt, counts: counts as RecordedCharge['counts'] }
    }
    if (type === 'CreditRefunded' && charge !== undefined) {
      charge = { ...charge, refunds: [...charge.refunds, data] }
    }
  }
  return charge
}

function play(
  steps: readonly (readonly [AccountCommand, number])[],
  look: (state: AccountState, event: AccountEvent, before: bigint) => void,
): { readonly state: AccountState; readonly events: readonly AccountEvent[] } {
  let state = initialState()
  let at = START_MS
  const events: AccountEvent[] = []
  const first = [open(), createKey(), grant(9, 150n)].map((command) => [command, 0] as const)
  for (const [command, laterMs] of [...first, ...steps]) {
    at += laterMs
    const known = withCharge(events, command)
    if (known === undefined || isRunAgain(events, known)) continue
    const decision = decide(state, { ...known, at })
    if (decision.kind !== 'happens') continue
    for (const event of decision.events) {
      const { balance } = state
      state = evolve(state, event)
      events.push(event)
      look(state, event, balance)
    }
  }
  return { state, events }
}

function withCharge(events: readonly AccountEvent[], command: AccountCommand) {
  if (command.type !== 'RefundRequest') return command
  const charge = chargeIn(events, command.requestId)
  return charge && { ...command, charge }
}

/** The server gives every request an id of its own. */
function isRunAgain(events: readonly AccountEvent[], command: AccountCommand): boolean {
  return (
    command.type === 'AcceptRequest' &&
    events.some(
      ({ type, data }) => type === 'RequestAccepted' && data.requestId === command.requestId,
    )
  )
}

const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, each) => total + each, 0n)

test('balance = what grants have left − debt, and a debt is only where nothing is left', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(histories, (steps) => {
      play(steps, (state, event) => {
        seen.add(event.type)
        const left = sum([...state.grants.values()].map(({ remaining }) => remaining))
        expect(state.balance).toBe(left - state.debt)
        expect(state.debt < 0n || (state.debt > 0n && left > 0n)).toBe(false)
        for (const grant of state.grants.values()) {
          expect(grant.remaining >= 0n && grant.remaining <= grant.amount).toBe(true)
          if (grant.voidedAt !== null) expect(grant.remaining).toBe(0n)
        }
      })
    }),
    { numRuns: 400 },
  )
  const moving = ['GrantVoided', 'CreditRefunded', 'BalanceAdjusted', 'AccountClosed']
  expect([...seen]).toEqual(expect.arrayContaining(moving))
})

test('every movement is explained by its own event, part by part', () => {
  fc.assert(
    fc.property(histories, (steps) => {
      play(steps, (state, { type, data }, before) => {
        const moved = state.balance - before
        const slices = 'slices' in data ? sum(data.slices.map((slice) => slice.amount)) : 0n
        if ('balanceAfter' in data) expect(data.balanceAfter).toBe(state.balance)
        else expect(moved).toBe(0n)
        if (type === 'GrantVoided') expect(moved).toBe(-(slices + data.debt))
        if (type === 'CreditRefunded') expect(moved).toBe(slices + data.paidDebt + data.credit)
        if (type === 'AccountClosed') expect(moved).toBe(data.paidDebt - slices)
        if (type === 'BalanceAdjusted') {
          expect(moved).toBe(data.paidDebt + data.credit - slices - data.debt)
        }
      })
    }),
  )
})

test('a request is never refunded more than it was debited', () => {
  let refunds = 0
  fc.assert(
    fc.property(histories, (steps) => {
      const { events } = play(steps, () => {})
      const debited = new Map<string, bigint>()
      for (const { type, data } of events) {
        if (type === 'CreditDebited') debited.set(data.requestId, data.amount)
        if (type !== 'CreditRefunded') continue
        refunds += 1
        const left = (debited.get(data.requestId) ?? 0n) - data.amount
        expect(left >= 0n).toBe(true)
        debited.set(data.requestId, left)
      }
    }),
  )
  expect(refunds).toBeGreaterThan(0)
})

test('replaying the events gives the very same state', () => {
  fc.assert(
    fc.property(histories, (steps) => {
      const { state, events } = play(steps, () => {})
      expect(events.reduce(evolve, initialState())).toEqual(state)
    }),
  )
})

test('a frozen account accepts nothing, and a closed one has no event after its end', () => {
  fc.assert(
    fc.property(histories, (steps) => {
      let isFrozen = false
      let isClosed = false
      play(steps, (_state, { type }) => {
        expect(isClosed).toBe(false)
        expect(isFrozen && type === 'RequestAccepted').toBe(false)
        if (type === 'AccountFrozen') isFrozen = true
        if (type === 'AccountUnfrozen') isFrozen = false
        if (type === 'AccountClosed') isClosed = true
      })
    }),
  )
})
