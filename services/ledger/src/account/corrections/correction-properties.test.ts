/** What holds whatever the operator corrects: all commands, in any order, one after the other. */
import type { AccountCommand } from '@svc/contracts/commands'
import type { AccountEvent } from '@svc/contracts/events/account'
import { sampleId } from '@svc/testing/ledger/sample'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accountDecider } from '../decider/decider.ts'
import { histories, play } from '../testing/random-history.ts'

const { decide, evolve, initialState } = accountDecider
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

/** What a history has done once, asked for again as it was, and with other content. */
function repeatsOf({ type, data }: AccountEvent): readonly Repeat[] {
  const asked = { actor: 'x', at: data.at, reason: 'again' }
  if (type === 'BalanceAdjusted' && data.correction === null) {
    const { adjustmentId, amount, category, reference } = data
    const same = {
      ...asked,
      type: 'AdjustBalance',
      adjustmentId,
      amount,
      category,
      reference,
    } as const
    const other = category === 'paid' ? 'promotional' : 'paid'
    return [
      {
        same,
        others: [
          { ...same, amount: amount + 1n },
          { ...same, category: other },
        ],
      },
      { same, others: [{ ...same, reference: 'another' }] },
    ]
  }
  if (type === 'BalanceAdjusted' && data.correction !== null) {
    const { correction } = data
    const ids = { paid: 'adj_new_paid', promotional: 'adj_new_promotional' }
    const what = { reference: null, correctionsSeen: 0, adjustmentIds: ids }
    const due = { paid: 1n, promotional: 0n }
    const same = { ...asked, ...what, type: 'CorrectPrice', correction, due } as const
    return [{ same, others: [{ ...same, correction: { ...correction, to: correction.to + 1 } }] }]
  }
  if (type === 'GrantVoided') {
    const { changeId, grantId, reference } = data
    const same = { ...asked, type: 'VoidGrant', changeId, grantId, reference } as const
    const others = [
      { ...same, grantId: sampleId('grant', 77) },
      { ...same, changeId: 'chg_another' },
      { ...asked, type: 'FreezeAccount', changeId } as const,
    ]
    return [{ same, others }]
  }
  return []
}

interface Repeat {
  readonly same: AccountCommand
  readonly others: readonly AccountCommand[]
}

test('an id that was used does nothing again, and with other content it is refused', () => {
  const seen = new Map<string, number>()
  fc.assert(
    fc.property(histories, (steps) => {
      const { state, events } = play(steps, () => {})
      const made = new Set<string>()
      for (const event of events) {
        for (const { same, others } of repeatsOf(event)) {
          seen.set(same.type, (seen.get(same.type) ?? 0) + 1)
          expect(decide(state, same)).toEqual({ kind: 'happens', events: [] })
          for (const other of others) expect(decide(state, other).kind).toBe('refused')
        }
        if (event.type !== 'BalanceAdjusted') continue
        expect(made.has(event.data.adjustmentId)).toBe(false)
        made.add(event.data.adjustmentId)
      }
      const voided = events.filter(({ type }) => type === 'GrantVoided')
      const grants = voided.map(({ data }) => ('grantId' in data ? data.grantId : ''))
      expect(new Set(grants).size).toBe(grants.length)
    }),
    { numRuns: 300 },
  )
  for (const type of ['AdjustBalance', 'CorrectPrice', 'VoidGrant']) {
    expect(seen.get(type) ?? 0).toBeGreaterThan(20)
  }
})
