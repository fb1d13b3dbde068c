/** Every bound of the state is reached. Decisions are not watched here: there are too many. */
import { inspect } from 'node:util'
import type { AccountCommand } from '@svc/contracts/commands'
import {
  accept,
  createKey,
  grant,
  grantId,
  open,
  price,
  requestId,
  sampleId,
  settle,
} from '@svc/testing/ledger/sample'
import {
  adjust,
  change,
  charge,
  correct,
  refund,
  voidOf,
} from '@svc/testing/ledger/sample-corrections'
import { START_MS } from '@svc/testing/manual-time'
import { describe, expect, test } from 'vitest'
import { decide } from './decider/decide.ts'
import { evolve } from './decider/evolve.ts'
import {
  type AccountState,
  ADJUSTMENTS_MAX,
  CHANGES_MAX,
  GRANTS_MAX,
  GRANTS_WITH_CREDIT_MAX,
  IDEMPOTENCY_KEYS_MAX,
  KNOWN_KEYS_MAX,
  OPEN_REQUESTS_MAX,
  REFUNDED_REQUESTS_MAX,
  REFUNDS_PER_REQUEST_MAX,
  unopenedAccount,
} from './state.ts'

function accountWith(...commands: readonly AccountCommand[]): AccountState {
  const state = unopenedAccount()
  run(state, open(), createKey(), grant(1, 10n ** 12n), ...commands)
  return state
}

function run(state: AccountState, ...commands: readonly AccountCommand[]): void {
  for (const command of commands) {
    const decision = decide(state, readNow(state, command))
    if (decision.kind !== 'happens') throw new Error(inspect(decision))
    for (const event of decision.events) evolve(state, event)
  }
}

/** The charge of a refund as if it had been read at this very moment. */
function readNow({ correctionsMade }: AccountState, command: AccountCommand): AccountCommand {
  if (command.type !== 'RefundRequest') return command
  return { ...command, correctionsSeen: correctionsMade }
}

/** What had paid it cannot take it back. */
const refundOfVoided = refund(2, null, {
  requestId: requestId(2),
  charge: { ...charge, slices: [{ grantId: grantId(2), amount: 50n }] },
})

/** A request that ran and was refunded a part of what it cost. */
const refunded = (index: number): readonly AccountCommand[] => [
  accept(index),
  settle(index),
  refund(index, 20n, { requestId: requestId(index) }),
]

const numbered = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index))

describe('the state of an account is bounded', () => {
  test(`at most ${OPEN_REQUESTS_MAX} requests are open`, () => {
    const state = accountWith(...numbered(OPEN_REQUESTS_MAX, (index) => accept(index)))
    expect(decide(state, accept(OPEN_REQUESTS_MAX))).toMatchObject({
      kind: 'refused',
      refusal: { code: 'rate_limit_exceeded', retryAfterSeconds: 1 },
    })
    run(state, settle(0), accept(OPEN_REQUESTS_MAX))
  })

  test(`at most ${IDEMPOTENCY_KEYS_MAX} Idempotency-Keys are known; that older ones were is remembered`, () => {
    const state = accountWith()
    const keyed = (index: number) =>
      accept(index, { idempotency: { keyHash: `key-${index}`, bodyHash: 'b' } })
    for (let index = 0; index <= IDEMPOTENCY_KEYS_MAX; index += 1) {
      run(state, keyed(index), settle(index))
    }
    expect(state.idempotencyKeys.size).toBe(IDEMPOTENCY_KEYS_MAX)
    expect(state.hasForgottenKeys).toBe(true)
    expect(state.idempotencyKeys.has('key-0')).toBe(false)
    expect(state.idempotencyKeys.get('key-1')).toMatchObject({ requestId: requestId(1) })
  })

  test(`at most ${KNOWN_KEYS_MAX} keys are known; an active one is never forgotten`, () => {
    const state = accountWith()
    for (let index = 2; index <= KNOWN_KEYS_MAX + 5; index += 1) {
      const keyId = sampleId('key', index)
      const revoke = { type: 'RevokeApiKey', keyId, reason: '', actor: 'x', at: START_MS } as const
      run(state, createKey({ keyId }), revoke)
    }
    expect(state.keys.size).toBe(KNOWN_KEYS_MAX)
    expect(state.keys.has(sampleId('key', 1))).toBe(true)
    expect(state.keys.has(sampleId('key', 2))).toBe(false)
  })

  test(`at most ${GRANTS_MAX} grants are made, and all are remembered`, () => {
    const state = accountWith()
    let at = START_MS
    for (let index = 2; index <= GRANTS_MAX; index += 1) {
      at += 1
      const expire = { type: 'ExpireCredit', actor: 'x', at: at + 1 } as const
      run(state, { ...grant(index, 1n, { expiresAt: at + 1 }), at }, expire)
    }
    expect(state.burning).toHaveLength(1)
    const oneMore = { ...grant(GRANTS_MAX + 1, 1n), at }
    expect(decide(state, oneMore)).toMatchObject({ kind: 'refused', refusal: { code: 'conflict' } })
    expect(decide(state, grant(1, 10n ** 12n))).toEqual({ kind: 'happens', events: [] })
  })

  test(`at most ${GRANTS_WITH_CREDIT_MAX} grants have credit: no correction gives to one more`, () => {
    const state = unopenedAccount()
    const spent = [grant(1, 50n), accept(1), settle(1), grant(2, 9n), voidOf(2)]
    run(state, open(), createKey(), ...spent)
    const others = numbered(GRANTS_WITH_CREDIT_MAX - 1, (index) => grant(10 + index, 1n))
    run(state, ...others)
    const nothing = { paid: 0n, promotional: 0n }
    const correction = { runId: sampleId('run', 1), price, from: 0, to: START_MS }
    const asked = [refund(1, null), refundOfVoided, adjust(1, 5n)]
    for (const each of asked) expect(decide(state, each)).toMatchObject({ kind: 'happens' })
    run(state, grant(GRANTS_WITH_CREDIT_MAX + 10, 1n))
    for (const each of asked) {
      expect(decide(state, each)).toMatchObject({ kind: 'refused', refusal: { code: 'conflict' } })
    }
    for (const each of [adjust(1, -5n), correct(correction, nothing)]) {
      expect(decide(state, each)).toMatchObject({ kind: 'happens' })
    }
  })

  test('a refund to a grant that has something left is made however many others have', () => {
    const state = accountWith(accept(1), settle(1))
    run(state, ...numbered(GRANTS_WITH_CREDIT_MAX - 1, (index) => grant(10 + index, 1n)))
    run(state, refund(1, null))
    expect(state.burning).toHaveLength(GRANTS_WITH_CREDIT_MAX)
  })

  test('what a refund gives back to a used up grant counts, and what is credit of its own too', () => {
    const state = unopenedAccount()
    const spent = [grant(2, 25n), grant(3, 25n), accept(1), settle(1), grant(4, 25n), voidOf(3)]
    run(state, open(), createKey(), ...spent)
    run(state, ...numbered(GRANTS_WITH_CREDIT_MAX - 2, (index) => grant(10 + index, 1n)))
    const slices = [2, 3].map((index) => ({ grantId: grantId(index), amount: 25n }))
    const both = refund(1, null, { charge: { ...charge, slices } })
    expect(decide(state, both)).toMatchObject({ kind: 'happens' })
    run(state, grant(9, 1n))
    expect(decide(state, both)).toMatchObject({ kind: 'refused', refusal: { code: 'conflict' } })
  })

  test(`at most ${ADJUSTMENTS_MAX} adjustments are made`, () => {
    const state = accountWith()
    run(state, ...numbered(ADJUSTMENTS_MAX - 1, (index) => adjust(index, -1n)))
    const correction = { runId: sampleId('run', 1), price, from: 0, to: START_MS }
    const seen = { correctionsSeen: ADJUSTMENTS_MAX - 1 }
    const both = correct(correction, { paid: 1n, promotional: 1n }, seen)
    expect(decide(state, both)).toMatchObject({ kind: 'refused', refusal: { code: 'conflict' } })
    run(state, adjust(ADJUSTMENTS_MAX, -1n))
    expect(decide(state, adjust(ADJUSTMENTS_MAX + 1, -1n))).toMatchObject({ kind: 'refused' })
    expect(decide(state, adjust(1, -1n))).toEqual({ kind: 'happens', events: [] })
  })

  test(`at most ${REFUNDS_PER_REQUEST_MAX} refunds of a request are made`, () => {
    const state = accountWith(grant(2, 500n), accept(1), settle(1))
    const big = { ...charge, amount: 1_000n, slices: [{ grantId: grantId(1), amount: 1_000n }] }
    const part = (index: number) => refund(index, 1n, { charge: big })
    run(state, adjust(1, -1_000n), ...numbered(REFUNDS_PER_REQUEST_MAX, part))
    expect(decide(state, part(REFUNDS_PER_REQUEST_MAX))).toMatchObject({
      kind: 'refused',
      refusal: { code: 'conflict', message: expect.stringMatching(/100 refunds/) },
    })
    expect(decide(state, part(0))).toEqual({ kind: 'happens', events: [] })
  })

  test(`of at most ${REFUNDED_REQUESTS_MAX} requests refunds are known; that others were is remembered`, () => {
    const state = accountWith()
    for (let index = 1; index <= REFUNDED_REQUESTS_MAX; index += 1) run(state, ...refunded(index))
    expect(state.hasForgottenRefunds).toBe(false)
    run(state, ...refunded(REFUNDED_REQUESTS_MAX + 1))
    expect(state.refunds.size).toBe(REFUNDED_REQUESTS_MAX)
    expect(state.hasForgottenRefunds).toBe(true)
    expect(state.refunds.has(requestId(1))).toBe(false)
    expect(state.refunds.has(requestId(2))).toBe(true)
  })

  test('of requests the one that was refunded last is forgotten last, whenever it was refunded first', () => {
    const state = accountWith()
    for (let index = 1; index <= REFUNDED_REQUESTS_MAX; index += 1) run(state, ...refunded(index))
    // The charge of the request was read before this refund of it, and is decided on after it.
    const recorded = { ...charge, refunds: [{ refundId: sampleId('refund', 1), amount: 20n }] }
    run(state, refund(5_000, 30n, { charge: recorded }), ...refunded(REFUNDED_REQUESTS_MAX + 1))
    expect(decide(state, refund(5_001, 30n, { charge: recorded }))).toMatchObject({
      kind: 'refused',
      refusal: { code: 'conflict', message: expect.stringMatching(/^Nothing of the charge/) },
    })
  })

  test('a refund is refused when another of the request may be forgotten since its charge was read', () => {
    const state = accountWith()
    for (let index = 1; index <= REFUNDED_REQUESTS_MAX; index += 1) run(state, ...refunded(index))
    run(state, accept(5_000), settle(5_000))
    const ofLast = { requestId: requestId(5_000) }
    // The charge of the last request was read here, before all of it was given back.
    const correctionsSeen = state.correctionsMade
    run(state, refund(5_000, null, ofLast))
    const stale = refund(5_001, null, { ...ofLast, correctionsSeen })
    const nothingLeft = { kind: 'refused', refusal: { code: 'conflict' } }
    for (let index = 1; index < REFUNDED_REQUESTS_MAX; index += 1) {
      run(state, ...refunded(10_000 + index))
    }
    expect(decide(state, stale)).toMatchObject(nothingLeft)
    run(state, ...refunded(20_000))
    expect(decide(state, stale)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'view_behind', retryAfterSeconds: 1 },
    })
    const recorded = { ...charge, refunds: [{ refundId: sampleId('refund', 5_000), amount: 50n }] }
    const readAgain = { charge: recorded, correctionsSeen: state.correctionsMade }
    expect(decide(state, { ...stale, ...readAgain })).toMatchObject(nothingLeft)
    expect(decide(state, refund(5_000, null, { ...ofLast, ...readAgain }))).toEqual({
      kind: 'happens',
      events: [],
    })
  })

  test(`at most ${CHANGES_MAX} changes of the operator are known, the newest`, () => {
    const state = accountWith()
    const rename = (index: number) =>
      ({ ...change(index), type: 'RenameAccount', name: `name ${index}` }) as const
    run(state, ...numbered(CHANGES_MAX + 1, rename))
    expect(state.changes.size).toBe(CHANGES_MAX)
    expect(decide(state, rename(1))).toEqual({ kind: 'happens', events: [] })
    expect(decide(state, rename(0))).toMatchObject({ kind: 'happens', events: { length: 1 } })
  })
})
