import {
  accept,
  grant,
  granted,
  keyCreated,
  opened,
  price,
  sampleId,
  settle,
} from '@svc/testing/ledger/sample'
import { adjust, charge, correct, refund } from '@svc/testing/ledger/sample-corrections'
import { START_MS } from '@svc/testing/manual-time'
import { describe, expect, test } from 'vitest'
import { given, history } from '../../../testing/decider-specification.ts'

const usable = [opened(), keyCreated()]

describe('a wrong price', () => {
  const cheaper = { ...price, input: 1n, cachedInput: 1n, output: 1n }
  const correction = { runId: sampleId('run', 1), price: cheaper, from: 0, to: START_MS + 9 }

  test('is made good once for each run', () => {
    const log = history(...usable, correct(correction, { paid: 5n, promotional: 0n }))
    given(log)
      .when(correct(correction, { paid: 5n, promotional: 0n }))
      .thenNothing()
    const others = [
      { to: correction.to - 1 },
      { from: correction.from + 1 },
      { price: { ...cheaper, version: sampleId('price', 2) } },
      { price: { ...cheaper, input: 2n } },
      { price: { ...cheaper, cachedInput: 2n } },
      { price: { ...cheaper, output: 2n } },
    ]
    for (const other of others)
      given(log)
        .when(correct({ ...correction, ...other }, { paid: 5n, promotional: 0n }))
        .thenRefused('conflict', /another price or for other requests/)
    const second = { ...correction, runId: sampleId('run', 2) }
    const adjustmentIds = { paid: sampleId('adj', 201), promotional: sampleId('adj', 202) }
    given(log)
      .when(correct(second, { paid: -5n, promotional: 0n }, { correctionsSeen: 1, adjustmentIds }))
      .thenHappens(['BalanceAdjusted', { amount: -5n, correction: second }])
    given(...usable)
      .when(correct(correction, { paid: 5n, promotional: 0n }, { reason: 'x'.repeat(501) }))
      .thenRefused('invalid_value')
  })

  test('gives back each kind of credit as it was, and pays a debt first', () => {
    const log = history(...usable, grant(1, 40n), accept(1), settle(1))
    const state = given(log)
      .when(correct(correction, { paid: 20n, promotional: 7n }))
      .thenHappens(
        [
          'BalanceAdjusted',
          { amount: 7n, paidDebt: 7n, credit: 0n, category: 'promotional', balanceAfter: -3n },
        ],
        [
          'BalanceAdjusted',
          { amount: 20n, paidDebt: 3n, credit: 17n, category: 'paid', correction },
        ],
      )
    expect(state.priceCorrections).toEqual([correction])
  })

  test('that was too low is charged from any credit', () => {
    given(...usable, granted(1, 30n))
      .when(correct(correction, { paid: -50n, promotional: 0n }))
      .thenHappens(['BalanceAdjusted', { amount: -50n, debt: 20n, balanceAfter: -20n }])
    given(...usable, granted(1, 30n))
      .when(correct(correction, { paid: -50n, promotional: 1n }))
      .thenRefused('invalid_value')
  })

  test('of nothing in sum is recorded, for the refunds to come', () => {
    given(...usable)
      .when(correct(correction, { paid: 0n, promotional: 0n }))
      .thenHappens(['BalanceAdjusted', { amount: 0n, credit: 0n, correction }])
  })

  test('is worked out again when a refund or an adjustment came meanwhile', () => {
    given(history(...usable, adjust(2, 5n)))
      .when(correct(correction, { paid: 5n, promotional: 0n }))
      .thenRefused('conflict', /again/)
    const { when } = given(history(...usable, grant(1, 60n), accept(1), settle(1), refund(1, 5n)))
    when(correct(correction, { paid: 5n, promotional: 0n })).thenRefused('conflict', /again/)
    when(correct(correction, { paid: 5n, promotional: 0n }, { correctionsSeen: 1 })).thenHappens([
      'BalanceAdjusted',
    ])
  })

  test('leaves nothing to refund where more came back than its requests cost now', () => {
    const before = history(...usable, grant(1, 60n), accept(1), settle(1), refund(1, 40n))
    const seen = { correctionsSeen: 1 }
    const log = history(...before, correct(correction, { paid: 10n, promotional: 0n }, seen))
    for (const amount of [null, 1n])
      given(log)
        .when(refund(2, amount))
        .thenRefused('conflict', /^Nothing/)
  })

  test('lowers what can be refunded of its requests', () => {
    const log = history(
      ...usable,
      grant(1, 60n),
      accept(1),
      settle(1),
      correct(correction, { paid: 30n, promotional: 0n }),
    )
    given(log)
      .when(refund(1, 21n))
      .thenRefused('conflict', /is left/)
    for (const acceptedAt of [correction.from, correction.to - 1])
      given(log)
        .when(refund(1, null, { charge: { ...charge, acceptedAt } }))
        .thenHappens(['CreditRefunded', { amount: 20n }])
    const others = [
      { acceptedAt: correction.from - 1 },
      { acceptedAt: correction.to },
      { version: 'price_other' },
    ]
    for (const other of others)
      given(log)
        .when(refund(1, null, { charge: { ...charge, ...other } }))
        .thenHappens(['CreditRefunded', { amount: 50n }])
  })
})
