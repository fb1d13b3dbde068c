import type { AccountCommand } from '@svc/contracts/commands'
import type { AccountEvent } from '@svc/contracts/events/account'
import {
  accept,
  accepted,
  accountId,
  createKey,
  grant,
  granted,
  grantId,
  keyCreated,
  keyId,
  meter,
  open,
  opened,
  requestId,
  sampleId,
  settle,
} from '@svc/testing/ledger/sample'
import { adjust, refund } from '@svc/testing/ledger/sample-corrections'
import { START_MS } from '@svc/testing/manual-time'
import { describe, expect, test } from 'vitest'
import { given, history } from '../../../testing/decider-specification.ts'
import { ACTIVE_KEYS_MAX } from '../state.ts'

const operator = { actor: 'operator', at: START_MS }
const revoke = { ...operator, type: 'RevokeApiKey', keyId, reason: 'lost' } as const
const fail = (index: number) =>
  ({ ...operator, type: 'FailRequest', requestId: requestId(index), reason: 'broke' }) as const
const abandon = (index: number) =>
  ({ ...operator, type: 'AbandonRequest', requestId: requestId(index), reason: 'gone' }) as const
const usable = [opened(), keyCreated()]

describe('an account', () => {
  test('is opened once', () => {
    given()
      .when(open())
      .thenHappens(['AccountOpened', { accountId, currency: 'USD' }])
    given(opened()).when(open()).thenNothing()
    given(opened())
      .when(open({ name: 'other' }))
      .thenRefused('conflict', new RegExp(`^This account was opened before, .*: ${accountId}.$`))
    given(opened())
      .when(open({ accountId: sampleId('acct', 2) }))
      .thenRefused('conflict')
    given(opened({ externalId: 'crm-1' }))
      .when(open({ name: 'other', externalId: 'crm-1' }))
      .thenRefused('conflict', /^The external id is that of another account: acct_/, {
        param: 'external_id',
      })
    given()
      .when(open({ name: '' }))
      .thenRefused('invalid_value', /^The name of an account .* 1 to 200/, { param: 'name' })
  })

  test('can do nothing before it is opened', () => {
    given().when(createKey()).thenRefused('not_found')
    given().when(accept(1)).thenRefused('not_found')
    given().when(grant(1, 1n)).thenRefused('not_found')
  })

  test('changes its spend policy', () => {
    const strict = {
      ...operator,
      type: 'SetSpendPolicy',
      spendPolicy: 'strict',
      changeId: 'chg_1',
      reason: 'asked for',
    } as const
    given(opened())
      .when(strict)
      .thenHappens(['SpendPolicySet', { spendPolicy: 'strict' }])
    given(history(opened(), strict)).when(strict).thenNothing()
  })

  test('changes its price list', () => {
    const acme = { ...operator, type: 'SetPriceList', priceList: 'acme' } as const
    given(opened())
      .when({ ...acme, priceList: 'default' })
      .thenNothing()
    given(opened())
      .when(acme)
      .thenHappens(['PriceListSet', { priceList: 'acme' }])
    given(history(opened(), acme)).when(acme).thenNothing()
  })
})

describe('keys', () => {
  test('a key is created once', () => {
    given(opened()).when(createKey()).thenHappens(['ApiKeyCreated', { keyId }])
    given(...usable)
      .when(createKey())
      .thenNothing()
    given(...usable)
      .when(createKey({ secretHash: 'b'.repeat(64) }))
      .thenNothing()
    given(...usable)
      .when(createKey({ name: 'another name' }))
      .thenRefused('conflict')
  })

  test('a key needs a name and a future', () => {
    given(opened())
      .when(createKey({ name: '' }))
      .thenRefused('invalid_value', /^The name of a key .* 1 to 200/, { param: 'name' })
    given(opened())
      .when(createKey({ expiresAt: START_MS }))
      .thenRefused('invalid_value', /have expired already/, { param: 'expires_at' })
  })

  test(`at most ${ACTIVE_KEYS_MAX} keys are active; revoked and expired ones do not count`, () => {
    const key = (index: number, expiresAt: number | null = null) =>
      createKey({ keyId: sampleId('key', index), expiresAt })
    const keys = Array.from({ length: ACTIVE_KEYS_MAX }, (_, index) => key(index + 1))
    given(history(opened(), ...keys))
      .when(key(99))
      .thenRefused('conflict', /50 active keys/)
    given(history(opened(), ...keys, { ...revoke, keyId: sampleId('key', 3) }))
      .when(key(99))
      .thenHappens(['ApiKeyCreated'])
    given(history(opened(), ...keys.slice(1), key(98, START_MS + 5)))
      .when({ ...key(99), at: START_MS + 5 })
      .thenHappens(['ApiKeyCreated'])
  })

  test('pitfall 25: after its revocation a key accepts nothing, and it cannot be made valid again', () => {
    given(...usable, granted(1, 1_000n))
      .when(revoke)
      .thenHappens(['ApiKeyRevoked', { keyId, reason: 'lost' }])
    given(history(...usable, revoke))
      .when(revoke)
      .thenNothing()
    given(history(...usable, granted(1, 1_000n), revoke))
      .when(accept(1))
      .thenRefused('invalid_api_key')
    given(history(...usable, granted(1, 1_000n), revoke, createKey()))
      .when(accept(1))
      .thenRefused('invalid_api_key')
    given(opened()).when(revoke).thenRefused('not_found')
  })

  test('an unknown or expired key accepts nothing', () => {
    given(opened(), granted(1, 1_000n)).when(accept(1)).thenRefused('invalid_api_key')
    const expiring = given(opened(), keyCreated({ expiresAt: START_MS + 10 }), granted(1, 1_000n))
    expiring.when(accept(1, { at: START_MS + 10 })).thenRefused('invalid_api_key')
    expiring.when(accept(1, { at: START_MS + 9 })).thenHappens(['RequestAccepted'])
  })
})

describe('the end of a request', () => {
  const running = history(...usable, granted(1, 100n), accept(1))

  test('bills the meter, line by line, at the pinned price', () => {
    const counts = { inputTokens: 4, cachedInputTokens: 6, outputTokens: 3 }
    const state = given(...running)
      .when(settle(1, { meter: meter(counts) }))
      .thenHappens(
        ['TokensMetered', { requestId: requestId(1), ...counts, rule: 'metered' }],
        [
          'CreditDebited',
          {
            amount: 23n,
            lines: [
              { class: 'input', tokens: 4, price: 2n, amount: 8n },
              { class: 'cached_input', tokens: 6, price: 1n, amount: 6n },
              { class: 'output', tokens: 3, price: 3n, amount: 9n },
            ],
            slices: [{ grantId: grantId(1), amount: 23n }],
            debt: 0n,
            balanceAfter: 77n,
          },
        ],
      )
    expect(state.held).toBe(0n)
  })

  test('pitfall 13: a meter beyond what was accepted is cut to the cheaper reading', () => {
    given(...running)
      .when(settle(1, { meter: meter({ inputTokens: 9, cachedInputTokens: 4, outputTokens: 99 }) }))
      .thenHappens(
        ['TokensMetered', { inputTokens: 6, cachedInputTokens: 4, outputTokens: 10 }],
        ['CreditDebited', { amount: 46n }],
      )
    given(...running)
      .when(settle(1, { meter: meter({ cachedInputTokens: 50, reasoningTokens: 99 }) }))
      .thenHappens(
        ['TokensMetered', { inputTokens: 0, cachedInputTokens: 10, reasoningTokens: 10 }],
        ['CreditDebited', { amount: 40n }],
      )
  })

  test('pitfall 7: a meter of nothing costs nothing, and is debited once all the same', () => {
    const nothing = { inputTokens: 0, outputTokens: 0 }
    given(...running)
      .when(settle(1, { meter: meter(nothing), finishReason: 'cancelled' }))
      .thenHappens(['TokensMetered'], ['CreditDebited', { amount: 0n, slices: [], debt: 0n }])
  })

  test('an unreadable meter is refused before it can do harm', () => {
    for (const broken of [
      { inputTokens: -1 },
      { outputTokens: 1.5 },
      { outputTokens: Number.NaN },
    ]) {
      given(...running)
        .when(settle(1, { meter: meter(broken) }))
        .thenRefused('internal_error', /unreadable/, { requestId: requestId(1) })
    }
  })

  test('a failure after output is charged and named', () => {
    given(...running)
      .when(settle(1, { failure: 'worker_failed', rule: 'delivered_before_failure' }))
      .thenHappens(
        ['TokensMetered'],
        ['CreditDebited'],
        ['RequestFailed', { reason: 'worker_failed' }],
      )
  })

  test('pitfall 4: a failed or abandoned request costs nothing, and its hold ends', () => {
    const failed = given(...running)
      .when(fail(1))
      .thenHappens(['RequestFailed', { reason: 'broke' }])
    expect(failed).toMatchObject({ balance: 100n, held: 0n })
    const abandoned = given(...running)
      .when(abandon(1))
      .thenHappens(['RequestAbandoned'])
    expect(abandoned).toMatchObject({ balance: 100n, held: 0n })
  })

  test('pitfall 5: what has ended stays as it is', () => {
    const ends = [settle(1), fail(1), abandon(1)]
    for (const first of ends) {
      for (const second of ends)
        given(history(...running, first))
          .when(second)
          .thenRefused('conflict', /ended already/, { requestId: requestId(1) })
    }
    for (const end of ends)
      given(...usable)
        .when(end)
        .thenRefused('conflict')
  })

  test('is never refused for lack of credit: what no grant covers is debt', () => {
    given(history(...usable, granted(1, 30n), accept(1)))
      .when(settle(1))
      .thenHappens(
        ['TokensMetered'],
        [
          'CreditDebited',
          {
            amount: 50n,
            slices: [{ grantId: grantId(1), amount: 30n }],
            debt: 20n,
            balanceAfter: -20n,
          },
        ],
      )
  })
})

describe('a log that the rules of today would not have written', () => {
  // Two under-held requests at once: today the second one would wait.
  const underHeld = { hold: 20n, underHeld: true }
  const older = [...usable, granted(1, 40n), accepted(1, underHeld), accepted(2, underHeld)]

  test('is traded on as it stands', () => {
    expect(given(older).state).toMatchObject({ balance: 40n, held: 40n })
    const ended = given(older)
      .when(settle(2))
      .thenHappens(
        ['TokensMetered'],
        ['CreditDebited', { amount: 50n, debt: 10n, balanceAfter: -10n }],
      )
    expect(ended).toMatchObject({ held: 20n, debt: 10n })
  })

  test('lets nobody in whom the rules of today refuse', () => {
    given(older).when(accept(3)).thenWaits()
  })

  test('takes nothing from a grant that is used up, and leaves the others', () => {
    const two = [...usable, grant(1, 50n), grant(2, 60n), accept(1), settle(1)]
    const slices = [
      { grantId: grantId(1), amount: 0n },
      { grantId: grantId(2), amount: 50n },
    ]
    const { state } = given(endingWith({ slices }, ...two, accept(2), settle(2)))
    expect(state.burning).toMatchObject([{ grantId: grantId(2), remaining: 10n }])
  })

  test('that contradicts itself is not traded on', () => {
    expect(() => given(...usable, granted(1, 40n, { balanceAfter: 41n }))).toThrow(/balance is 40/)
    expect(() => given(older, accepted(1))).toThrow(/accepted twice/)
    expect(() => given(usable, granted(1, 40n, { paidDebt: 1n }))).toThrow(/pays a debt of 0/)
    expect(() => given(usable, granted(1, 40n), granted(1, 40n))).toThrow(/granted twice/)
    const unknown = { type: 'Unknown', data: {} } as unknown as AccountEvent
    expect(() => given(usable, unknown)).toThrow(/there is no event .*Unknown/)
    const lowered = history(...usable, granted(1, 60n), adjust(1, -30n))
    expect(() => given(lowered, lowered.slice(-1))).toThrow(/adjusted twice/)
    for (const slice of [
      { grantId: grantId(1), amount: 61n },
      { grantId: grantId(2), amount: 30n },
    ]) {
      expect(() =>
        given(endingWith({ slices: [slice] }, ...usable, granted(1, 60n), adjust(1, -30n))),
      ).toThrow(/does not have/)
    }
    const raised = [...usable, adjust(1, 30n)]
    expect(() => given(endingWith({ paidDebt: 1n, credit: 29n }, ...raised))).toThrow(/^1 is paid/)
    const refunded = [...usable, granted(1, 100n), accept(1), settle(1), refund(1, 20n)]
    expect(() => given(endingWith({ refundedBefore: 1n }, ...refunded))).toThrow(/refunded 0/)
    for (const slice of [
      { grantId: grantId(1), amount: 51n },
      { grantId: grantId(2), amount: 20n },
    ]) {
      expect(() => given(endingWith({ slices: [slice] }, ...refunded))).toThrow(/cannot have/)
    }
    const again = [...refunded, refund(2, 20n)]
    expect(() => given(endingWith({ refundedBefore: 0n }, ...again))).toThrow(/refunded 20/)
  })
})

/** The history that the steps make, with other data in its last event. */
function endingWith(changes: object, ...steps: readonly (AccountCommand | AccountEvent)[]) {
  const events = history(...steps)
  const { type, data } = events.at(-1) as AccountEvent
  return [...events.slice(0, -1), { type, data: { ...data, ...changes } } as AccountEvent]
}
