import {
  accept,
  grant,
  granted,
  keyCreated,
  meter,
  opened,
  requestId,
  settle,
} from '@svc/testing/ledger/sample'
import { START_MS } from '@svc/testing/manual-time'
import { describe, expect, test } from 'vitest'
import { given, history } from '../../testing/decider-specification.ts'
import { IDEMPOTENCY_KEYS_MAX } from './state.ts'

/** The sample request needs up to 50 pico-dollars. */
const funded = (amount: bigint, spendPolicy: 'standard' | 'strict' = 'standard') => [
  opened({ spendPolicy }),
  keyCreated(),
  granted(1, amount),
]
const becomesStrict = {
  type: 'SetSpendPolicy',
  spendPolicy: 'strict',
  changeId: 'chg_1',
  reason: 'asked for',
  actor: 'operator',
  at: START_MS,
} as const
const ended = (index: number, outputTokens = 10) =>
  settle(index, { meter: meter({ outputTokens }) })

describe('admission, whatever the policy', () => {
  test('pitfall 2: holds the worst case, however rich the account', () => {
    given(...funded(10n ** 18n))
      .when(accept(1))
      .thenHappens(['RequestAccepted', { hold: 50n, underHeld: false, maxOutputTokens: 10 }])
  })

  test('pitfall 16: a model without a price is refused', () => {
    given(...funded(1_000n))
      .when(accept(1, { price: null }))
      .thenRefused('model_not_priced', /^No price is published for the model/)
    const soldFrom = 1_800_000_000_000
    given(...funded(1_000n))
      .when(accept(1, { price: null, soldFrom }))
      .thenRefused('model_not_priced', /^The model .* has no price before \{when\}\. Whoever/, {
        when: soldFrom,
      })
  })

  test('is put off while the prices of the account are unknown', () => {
    given(...funded(1_000n))
      .when(accept(1, { price: undefined }))
      .thenRefused('view_behind', /prices .* not known yet/, { retryAfterSeconds: 1 })
  })

  test('pitfall 17: pins the price', () => {
    const { price } = accept(1)
    given(...funded(1_000n))
      .when(accept(1))
      .thenHappens(['RequestAccepted', { price }])
  })

  test('pitfall 27: a balance of zero or less is refused, with needed and available', () => {
    given(opened(), keyCreated())
      .when(accept(1))
      .thenRefused('insufficient_quota', /needs up to \$0\.00000000005, available is \$0\.00\./)
    given(history(...funded(30n), accept(1), settle(1)))
      .when(accept(2))
      .thenRefused('insufficient_quota', /available is -\$0\.00000000002\./)
  })

  test('pitfall 3: an output limit beyond any balance is held for, or refused as no number', () => {
    given(...funded(100n))
      .when(accept(1, { maxOutputTokens: 999_999_999 }))
      .thenHappens(['RequestAccepted', { hold: 100n, underHeld: true }])
    given(...funded(100n, 'strict'))
      .when(accept(1, { maxOutputTokens: 999_999_999 }))
      .thenHappens(['RequestAccepted', { hold: 98n, maxOutputTokens: 26 }])
    for (const broken of [-1, 1.5, Number.NaN, 2 ** 40]) {
      given(...funded(100n))
        .when(accept(1, { maxOutputTokens: broken }))
        .thenRefused('invalid_value', /not a number of tokens/, { param: 'maxOutputTokens' })
      given(...funded(100n))
        .when(accept(1, { promptTokens: broken }))
        .thenRefused('invalid_value', /not a number of tokens/, { param: 'promptTokens' })
    }
  })

  test('pitfall 29: a request that runs is not accepted again', () => {
    given(history(...funded(1_000n), accept(1)))
      .when(accept(1))
      .thenRefused('conflict', /running already/, { requestId: requestId(1) })
  })

  test('free tokens need a balance above zero and hold nothing', () => {
    const free = { version: 'price_free', input: 0n, cachedInput: 0n, output: 0n }
    given(...funded(1n))
      .when(accept(1, { price: free }))
      .thenHappens(['RequestAccepted', { hold: 0n, underHeld: false }])
    given(opened(), keyCreated())
      .when(accept(1, { price: free }))
      .thenRefused('insufficient_quota', /^The balance is \$0\.00: it must be above zero, also /)
  })

  test('free tokens at a debt are refused for the debt, and not for $0.00', () => {
    const free = { version: 'price_free', input: 0n, cachedInput: 0n, output: 0n }
    given(history(...funded(30n), accept(1), settle(1)))
      .when(accept(2, { price: free }))
      .thenRefused('insufficient_quota', /^The account owes \$0\.00000000002: until that is paid, /)
  })
})

describe('the standard policy', () => {
  test('serves above zero: the request that does not fit holds all that is available', () => {
    given(history(...funded(70n), accept(1)))
      .when(accept(2))
      .thenHappens(['RequestAccepted', { hold: 20n, underHeld: true, maxOutputTokens: 10 }])
  })

  test('as long as anything is available, and no longer', () => {
    given(history(...funded(51n), accept(1)))
      .when(accept(2))
      .thenHappens(['RequestAccepted', { hold: 1n, underHeld: true }])
    given(history(...funded(50n), accept(1)))
      .when(accept(2))
      .thenWaits()
  })

  test('only one under-held request runs: the next one waits', () => {
    given(history(...funded(70n), accept(1), accept(2)))
      .when(accept(3))
      .thenWaits()
  })

  test('also after others end and free credit, a second that does not fit waits', () => {
    const freed = history(...funded(70n), accept(1), accept(2), ended(1, 0))
    expect(given(...freed).state).toMatchObject({ balance: 50n, held: 20n })
    given(...freed)
      .when(accept(3))
      .thenWaits()
  })

  test('what fits into freed credit is held in full beside the under-held one', () => {
    given(history(...funded(70n), accept(1), accept(2), ended(1, 0)))
      .when(accept(3, { maxOutputTokens: 3 }))
      .thenHappens(['RequestAccepted', { hold: 29n, underHeld: false }])
  })

  test('when the under-held one has ended, the next may be under-held', () => {
    given(history(...funded(70n), accept(1), accept(2), ended(2, 0), ended(1, 5)))
      .when(accept(3, { maxOutputTokens: 50 }))
      .thenHappens(['RequestAccepted', { hold: 15n, underHeld: true }])
  })

  test('after an overdraft that running requests hold back, a request waits', () => {
    // 70 granted, 50 held by 1; 2 held 20 and cost 50: available is −30 while the balance is 20.
    const overdrawn = history(...funded(70n), accept(1), accept(2), ended(2))
    expect(given(...overdrawn).state).toMatchObject({ balance: 20n, held: 50n })
    given(...overdrawn)
      .when(accept(3))
      .thenWaits()
  })
})

describe('the strict policy', () => {
  test('leaves the limit alone when the worst case fits', () => {
    given(...funded(50n, 'strict'))
      .when(accept(1))
      .thenHappens(['RequestAccepted', { hold: 50n, maxOutputTokens: 10 }])
  })

  test('lowers the limit to what is affordable', () => {
    given(...funded(49n, 'strict'))
      .when(accept(1))
      .thenHappens(['RequestAccepted', { hold: 47n, maxOutputTokens: 9, underHeld: false }])
    given(...funded(23n, 'strict'))
      .when(accept(1))
      .thenHappens(['RequestAccepted', { hold: 23n, maxOutputTokens: 1 }])
  })

  test('does not lower what a worker runs with already', () => {
    given(...funded(50n, 'strict'))
      .when(accept(1, { isStarted: true }))
      .thenHappens(['RequestAccepted', { hold: 50n, maxOutputTokens: 10 }])
    given(...funded(49n, 'strict'))
      .when(accept(1, { isStarted: true }))
      .thenWaits()
  })

  test('refuses when not one token of output is affordable, and says what one would cost', () => {
    given(...funded(22n, 'strict'))
      .when(accept(1))
      .thenRefused(
        'insufficient_quota',
        /at least \$0\.000000000023, available is \$0\.000000000022/,
      )
  })

  test('refuses at once when waiting for what runs could not help', () => {
    given(history(...funded(60n, 'strict'), accept(1)))
      .when(accept(2, { promptTokens: 40 }))
      .thenRefused(
        'insufficient_quota',
        /at least \$0\.000000000083, available is \$0\.00000000001/,
      )
  })

  test('says what is needed, held and left as amounts: UX-15', () => {
    const refusedAtOnce = given(history(...funded(60n, 'strict'), accept(1))).when(
      accept(2, { promptTokens: 40 }),
    )
    const waiting = given(history(...funded(60n, 'strict'), accept(1))).when(accept(2))
    const funds = { available: 10n, held: 50n }
    expect(refusedAtOnce.decision).toMatchObject({
      refusal: { funds: { ...funds, required: 83n } },
    })
    expect(waiting.decision).toMatchObject({
      refusal: {
        message: expect.stringMatching(
          /needs up to \$0\.00000000005, available is \$0\.00000000001\.$/,
        ),
        retryAfterSeconds: 5,
        funds: { ...funds, required: 50n },
      },
    })
  })

  test('waits when running requests hold what the prompt and one token need', () => {
    given(history(...funded(60n, 'strict'), accept(1)))
      .when(accept(2))
      .thenWaits()
  })

  test('waits rather than to give less than half of what it could give alone', () => {
    // 50 are held. Alone it could have 10 tokens of output for 50; 34 pay for 4 now, 35 for 5.
    given(history(...funded(84n, 'strict'), accept(1)))
      .when(accept(2))
      .thenWaits()
    given(history(...funded(85n, 'strict'), accept(1)))
      .when(accept(2))
      .thenHappens(['RequestAccepted', { hold: 35n, maxOutputTokens: 5 }])
  })

  test('compares with what the whole balance could give, however much was asked for', () => {
    // 60 of 100 are free: 13 tokens; alone it could have 26.
    const running = history(...funded(100n, 'strict'), accept(1, { promptTokens: 5 }))
    given(...running)
      .when(accept(2, { maxOutputTokens: 32_000 }))
      .thenHappens(['RequestAccepted', { hold: 59n, maxOutputTokens: 13 }])
    given(history(...running, accept(3, { promptTokens: 1, maxOutputTokens: 0 })))
      .when(accept(2, { maxOutputTokens: 32_000 }))
      .thenWaits()
  })

  test('gives what there is when nothing else runs any more', () => {
    const waited = history(...funded(85n, 'strict'), accept(1), accept(2), ended(1), ended(2, 5))
    given(...waited)
      .when(accept(3))
      .thenRefused('insufficient_quota')
    given(history(...funded(84n, 'strict'), accept(1), ended(1)))
      .when(accept(2))
      .thenHappens(['RequestAccepted', { hold: 32n, maxOutputTokens: 4 }])
  })

  test('leaves a request from before the policy what it may cost beyond its hold', () => {
    // It holds 20 and may cost 50: of a balance of 100 there are 50 for others, not 80.
    const since = history(...funded(20n), accept(1), becomesStrict)
    given(history(...since, grant(2, 80n)))
      .when(accept(2))
      .thenHappens(['RequestAccepted', { hold: 50n, maxOutputTokens: 10 }])
    given(history(...since, grant(2, 79n)))
      .when(accept(2))
      .thenHappens(['RequestAccepted', { hold: 47n, maxOutputTokens: 9 }])
  })

  test('without a price of the output, waits only for the prompt', () => {
    const price = { version: 'price_prompt', input: 2n, cachedInput: 1n, output: 0n }
    const running = history(...funded(65n, 'strict'), accept(1))
    given(...running)
      .when(accept(2, { price }))
      .thenWaits()
    given(...running)
      .when(accept(2, { price, promptTokens: 7 }))
      .thenHappens(['RequestAccepted', { hold: 14n, maxOutputTokens: 10 }])
    const allOfTheBalance = history(...funded(60n, 'strict'), accept(1))
    given(allOfTheBalance)
      .when(accept(2, { price, promptTokens: 30 }))
      .thenWaits()
    given(allOfTheBalance)
      .when(accept(2, { price, promptTokens: 31 }))
      .thenRefused('insufficient_quota')
  })
})

describe('pitfall 19: an Idempotency-Key', () => {
  const idempotency = { keyHash: 'k'.repeat(64), bodyHash: 'b'.repeat(64) }
  const keyed = (index: number, at = START_MS) => accept(index, { idempotency, at })
  const keyedSearched = (index: number) =>
    accept(index, { idempotency, keysSearched: 1 + IDEMPOTENCY_KEYS_MAX })
  /** As many requests with other keys as it takes for the account to forget the one before them. */
  const others = (before = 0) =>
    Array.from({ length: IDEMPOTENCY_KEYS_MAX }, (_, index) => {
      const at = before + index
      const idempotency = { keyHash: `key ${at + 1}`, bodyHash: 'b' }
      return [accept(100 + at, { idempotency, keysSearched: at }), settle(100 + at)] as const
    }).flat()

  test('is in use while its request runs', () => {
    given(history(...funded(1_000n), keyed(1)))
      .when(keyed(2))
      .thenRefused('idempotency_key_in_use', /still running/, {
        requestId: requestId(1),
        retryAfterSeconds: 1,
      })
  })

  test('does not run again when its request has ended, and names the receipt', () => {
    given(history(...funded(1_000n), keyed(1), settle(1)))
      .when(keyed(2))
      .thenRefused('idempotency_answer_gone', new RegExp(`its receipt is ${requestId(1)}`), {
        requestId: requestId(1),
      })
  })

  test('is free again when its request ended without a debit', () => {
    const end = { requestId: requestId(1), reason: 'x', actor: 'x', at: START_MS }
    for (const type of ['FailRequest', 'AbandonRequest'] as const) {
      const freed = () => given(history(...funded(1_000n), keyed(1), { ...end, type }))
      expect(freed().state.idempotencyKeys.size).toBe(0)
      freed().when(keyed(2)).thenHappens(['RequestAccepted', { idempotency }])
      const other = accept(2, { idempotency: { ...idempotency, bodyHash: 'c'.repeat(64) } })
      freed().when(other).thenHappens(['RequestAccepted'])
    }
  })

  test('stays used when its request failed with a debit, also of nothing', () => {
    const nothing = meter({ inputTokens: 0, outputTokens: 0 })
    for (const fields of [{}, { meter: nothing }]) {
      given(
        history(...funded(1_000n), keyed(1), settle(1, { ...fields, failure: 'worker_failed' })),
      )
        .when(keyed(2))
        .thenRefused('idempotency_answer_gone')
    }
  })

  test('is not freed by the end of an earlier request that has lost it', () => {
    const end = { requestId: requestId(1), reason: 'x', actor: 'x', at: START_MS }
    const lost = history(...funded(10n ** 9n), keyed(1), ...others())
    given(history(...lost, keyedSearched(2), { ...end, type: 'FailRequest' }))
      .when(keyed(3))
      .thenRefused('idempotency_key_in_use')
  })

  test('is refused with another body', () => {
    given(history(...funded(1_000n), keyed(1)))
      .when(accept(2, { idempotency: { ...idempotency, bodyHash: 'c'.repeat(64) } }))
      .thenRefused('idempotency_key_reused', /different body/, { requestId: requestId(1) })
  })

  test('stays used, however long ago that was', () => {
    const aYear = 365 * 86_400_000
    given(history(...funded(1_000n), keyed(1), settle(1)))
      .when(keyed(2, START_MS + aYear))
      .thenRefused('idempotency_answer_gone')
  })

  test('that may have been forgotten runs only when it was looked for', () => {
    const forgotten = given(history(...funded(10n ** 9n), keyed(1), settle(1), ...others()))
    forgotten.when(keyed(2)).thenRefused('view_behind', /not known yet/, { retryAfterSeconds: 1 })
    forgotten.when(keyedSearched(2)).thenHappens(['RequestAccepted', { idempotency }])
    forgotten.when(accept(3)).thenHappens(['RequestAccepted'])
    const last = { keyHash: `key ${IDEMPOTENCY_KEYS_MAX}`, bodyHash: 'b' }
    forgotten.when(accept(4, { idempotency: last })).thenRefused('idempotency_answer_gone')
  })

  test('that may have been used and forgotten since it was looked for is looked for again', () => {
    // It was looked for before its request was accepted.
    const before = history(...funded(10n ** 9n), ...others(), keyedSearched(1))
    const used = given(history(...before, ...others(IDEMPOTENCY_KEYS_MAX)))
    const { keysUsed } = used.state
    expect(keysUsed).toBe(2 * IDEMPOTENCY_KEYS_MAX + 1)
    const searchedAt = (keysSearched: number) => accept(2, { idempotency, keysSearched })
    used.when(searchedAt(IDEMPOTENCY_KEYS_MAX)).thenRefused('view_behind')
    used.when(searchedAt(keysUsed)).thenHappens(['RequestAccepted', { idempotency }])
  })
})
