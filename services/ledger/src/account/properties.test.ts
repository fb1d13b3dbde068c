/** What holds whatever happens: any commands, in any order, decided one after the other. */
import type { AcceptRequest, AccountCommand } from '@svc/contracts/commands'
import type { AccountEvent, AccountEventOf } from '@svc/contracts/events/account'
import { costOf, worstCase } from '@svc/contracts/price'
import {
  accept,
  createKey,
  grant,
  meter,
  open,
  price,
  requestId,
  settle,
} from '@svc/testing/ledger/sample'
import { START_MS } from '@svc/testing/manual-time'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decide } from './decider/decide.ts'
import { evolve } from './decider/evolve.ts'
import type { Decision } from './decision.ts'
import { type AccountState, type OpenRequest, unopenedAccount } from './state.ts'

const REQUESTS = 8
const OVERDRAFT_SEED = 1

/** A step names its request by number, so that steps meet: the same request settled twice, say. */
const step = fc.oneof(
  { weight: 4, arbitrary: acceptStep() },
  { weight: 4, arbitrary: settleStep() },
  { weight: 1, arbitrary: endStep() },
  { weight: 1, arbitrary: grantStep() },
  { weight: 1, arbitrary: fc.constant({ type: 'ExpireCredit', actor: 'x', at: 0 } as const) },
)
const history = fc.array(fc.tuple(step, fc.nat(20)), { maxLength: 60, size: 'max' })

function acceptStep(): fc.Arbitrary<AccountCommand> {
  return fc
    .record({
      index: fc.nat(REQUESTS),
      promptTokens: fc.nat(40),
      maxOutputTokens: fc.integer({ min: 1, max: 40 }),
      idempotency: fc.option(
        fc.record({
          keyHash: fc.constantFrom('key 1', 'key 2'),
          bodyHash: fc.constantFrom('body 1', 'body 2'),
        }),
      ),
    })
    .map(({ index, ...fields }) => accept(index, fields))
}

function settleStep(): fc.Arbitrary<AccountCommand> {
  const counts = fc.record({
    inputTokens: fc.nat(50),
    cachedInputTokens: fc.nat(50),
    outputTokens: fc.nat(50),
  })
  return fc
    .tuple(fc.nat(REQUESTS), counts, fc.option(fc.constant('worker_failed')))
    .map(([index, tokens, failure]) => settle(index, { meter: meter(tokens), failure }))
}

function endStep(): fc.Arbitrary<AccountCommand> {
  return fc
    .tuple(fc.nat(REQUESTS), fc.constantFrom('FailRequest' as const, 'AbandonRequest' as const))
    .map(([index, type]) => ({ type, requestId: requestId(index), reason: 'x', actor: 'x', at: 0 }))
}

function grantStep(): fc.Arbitrary<AccountCommand> {
  return fc
    .tuple(fc.nat(6), fc.bigInt(1n, 200n), fc.option(fc.nat(300)))
    .map(([index, amount, expiresIn]) =>
      grant(index, amount, { expiresAt: expiresIn === null ? null : START_MS + expiresIn }),
    )
}

/** Plays the steps with time going on, and looks at the state after every event. */
function play(
  spendPolicy: 'standard' | 'strict',
  steps: readonly (readonly [AccountCommand, number])[],
  look: (state: AccountState, event: AccountEvent) => void,
  lookAtDecision: (
    state: AccountState,
    command: AccountCommand,
    decision: Decision,
  ) => void = () => {},
): AccountState {
  const state = unopenedAccount()
  let at = START_MS
  const first = [open({ spendPolicy }), createKey(), grant(99, 150n)].map(
    (command) => [command, 0] as const,
  )
  for (const [command, laterMs] of [...first, ...steps]) {
    at += laterMs
    const decision = decide(state, { ...command, at })
    lookAtDecision(state, command, decision)
    if (decision.kind !== 'happens') continue
    for (const event of decision.events) look(evolve(state, event), event)
  }
  return state
}

const available = (state: AccountState) => state.balance - state.held

function limitOf({ events }: Decision & { kind: 'happens' }): number {
  const last = events.at(-1)
  return last?.type === 'RequestAccepted' ? last.data.maxOutputTokens : Number.NaN
}

/** The limit that the account could afford if nothing else ran: found by trying all. */
function limitAlone(
  { balance }: AccountState,
  { promptTokens, maxOutputTokens }: AcceptRequest,
  { events }: Decision & { kind: 'happens' },
): number {
  const unexpired = events.reduce(
    (left, { type, data }) => (type === 'CreditExpired' ? left - data.amount : left),
    balance,
  )
  const limits = Array.from({ length: maxOutputTokens + 1 }, (_, limit) => limit)
  const isAffordable = (limit: number) => worstCase(price, promptTokens, limit) <= unexpired
  return limits.findLast(isAffordable) ?? Number.NaN
}

describe('any order of commands', () => {
  test('I1, I9: balance is what grants have left less the debt; holds are those of open requests', () => {
    fc.assert(
      fc.property(fc.constantFrom('standard', 'strict'), history, (policy, steps) => {
        play(policy, steps, (state) => {
          const grants = [...state.grants.values()]
          const left = grants.reduce((sum, { remaining }) => sum + remaining, 0n)
          const holds = [...state.openRequests.values()].map(({ hold }) => hold)
          expect(state.balance).toBe(left - state.debt)
          expect(state.held).toBe(holds.reduce((sum, hold) => sum + hold, 0n))
          expect(state.debt >= 0n && holds.every((hold) => hold >= 0n)).toBe(true)
          expect(state.debt > 0n && left > 0n).toBe(false)
          expect(state.burning.map(({ grantId }) => grantId).toSorted()).toEqual(
            grants
              .filter(({ remaining }) => remaining > 0n)
              .map(({ grantId }) => grantId)
              .toSorted(),
          )
        })
      }),
    )
  })

  test('I8, strict: neither the balance nor what is available ever falls below zero', () => {
    fc.assert(
      fc.property(history, (steps) => {
        play('strict', steps, (state) => {
          expect(state.balance >= 0n && available(state) >= 0n).toBe(true)
          expect(state.underHeldRequestId).toBeNull()
        })
      }),
    )
  })

  test('I8, standard: below zero by at most one request, and one under-held request at most', () => {
    let overdrafts = 0
    const holds = fc.property(history, (steps) => {
      /** What the last under-held request cost beyond its hold. */
      let excess = 0n
      let last: OpenRequest | undefined
      play('standard', steps, (state, { type, data }) => {
        const underHeld = [...state.openRequests.values()].filter((open) => open.underHeld)
        expect(underHeld.length).toBeLessThanOrEqual(1)
        if (type === 'CreditDebited' && data.requestId === last?.requestId) {
          excess = data.amount - last.hold
        }
        last = underHeld[0]
        const floor = excess > 0n ? -excess : 0n
        expect(available(state) >= floor).toBe(true)
        expect(state.balance >= floor).toBe(true)
        if (state.balance < 0n) overdrafts += 1
      })
    })
    fc.assert(holds)
    overdrafts = 0
    // One in some hundred random runs goes below zero nowhere; those of this seed do.
    fc.assert(holds, { seed: OVERDRAFT_SEED })
    expect(overdrafts).toBeGreaterThan(0)
  })

  test('a request waits only for others that run, and strict leaves it half of its limit', () => {
    let waits = 0
    let lowered = 0
    fc.assert(
      fc.property(fc.constantFrom('standard', 'strict'), history, (policy, steps) => {
        const look = (state: AccountState, command: AccountCommand, decision: Decision): void => {
          if (decision.kind === 'waits') {
            expect(state.openRequests.size).toBeGreaterThan(0)
            waits += 1
          }
          if (command.type !== 'AcceptRequest' || decision.kind !== 'happens') return
          const limit = limitOf(decision)
          if (limit === command.maxOutputTokens) return
          expect(2 * limit).toBeGreaterThanOrEqual(limitAlone(state, command, decision))
          lowered += 1
        }
        play(policy, steps, () => {}, look)
      }),
    )
    expect(Math.min(waits, lowered)).toBeGreaterThan(0)
  })

  test('I2, I3: a debit follows its meter, is its price exactly, and is never above the worst case', () => {
    fc.assert(
      fc.property(fc.constantFrom('standard', 'strict'), history, (policy, steps) => {
        let metered: AccountEventOf<'TokensMetered'>['data'] | undefined
        const limits = new Map<string, bigint>()
        play(policy, steps, (_state, { type, data }) => {
          if (type === 'RequestAccepted') {
            limits.set(data.requestId, worstCase(price, data.promptTokens, data.maxOutputTokens))
          } else if (type === 'TokensMetered') {
            metered = data
          } else if (type === 'CreditDebited') {
            expect(data.requestId).toBe(metered?.requestId)
            expect(data.amount).toBe(metered && costOf(price, metered))
            expect(data.amount <= (limits.get(data.requestId) ?? -1n)).toBe(true)
            limits.delete(data.requestId)
            metered = undefined
          }
        })
      }),
    )
  })

  test('I19: an Idempotency-Key runs again only without a debit, and is debited at most once', () => {
    let repeated = 0
    fc.assert(
      fc.property(fc.constantFrom('standard', 'strict'), history, (policy, steps) => {
        const keys = new WatchedKeys()
        play(policy, steps, (_state, event) => keys.look(event))
        repeated += keys.repeated
      }),
    )
    expect(repeated).toBeGreaterThan(0)
  })
})

class WatchedKeys {
  repeated = 0
  /** The keys that run or were debited, and all that ever came. */
  readonly #taken = new Set<string>()
  readonly #seen = new Set<string>()
  readonly #ofRequest = new Map<string, string>()

  look({ type, data }: AccountEvent): void {
    if (type === 'RequestAccepted') this.#claim(data.requestId, data.idempotency?.keyHash)
    else if (type === 'CreditDebited') this.#ofRequest.delete(data.requestId)
    else if (type === 'RequestFailed' || type === 'RequestAbandoned') this.#free(data.requestId)
  }

  #claim(id: string, keyHash: string | undefined): void {
    if (keyHash === undefined) return
    expect(this.#taken.has(keyHash)).toBe(false)
    if (this.#seen.has(keyHash)) this.repeated += 1
    this.#taken.add(keyHash)
    this.#seen.add(keyHash)
    this.#ofRequest.set(id, keyHash)
  }

  #free(id: string): void {
    const keyHash = this.#ofRequest.get(id)
    if (keyHash !== undefined) this.#taken.delete(keyHash)
    this.#ofRequest.delete(id)
  }
}
