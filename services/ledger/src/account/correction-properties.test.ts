/** What holds whatever the operator corrects: all commands, in any order, one after the other. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accountDecider } from './decider.ts'
import { histories, play } from './testing/random-history.ts'

const { evolve, initialState } = accountDecider
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
