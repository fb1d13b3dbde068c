/** What of prices is refused, and which field is named. */
import type { PriceVersion, Rates } from '@svc/contracts/price'
import { price, sampleId } from '@svc/testing/ledger/sample'
import { START_MS } from '@svc/testing/manual-time'
import { describe, expect, test } from 'vitest'
import { PRICE_NOTICE_MS } from '../writer/ledger-limits.ts'
import {
  type CorrectedPrice,
  checkCorrection,
  checkNotAccepted,
  checkPrice,
  checkSamePrice,
  checkSameRun,
  checkWithdrawal,
} from './price-rules.ts'
import type { PublishedPrice } from './published-price.ts'

const HOUR_MS = 3_600_000
const NOW = START_MS + HOUR_MS
const { version } = price
const rates: Rates = { input: 5n, cachedInput: 2n, output: 9n }

const published: PublishedPrice = {
  ...price,
  model: 'svc-beta',
  priceList: 'default',
  isDemo: false,
  effectiveFrom: START_MS,
  publishedAt: START_MS,
  withdrawnAt: null,
}

describe('a price', () => {
  const check = (fields: { model?: string; priceList?: string; price?: PriceVersion }) => () =>
    checkPrice({ model: 'svc-beta', priceList: 'default', price, ...fields })

  test('is of a model whose name has 1 to 200 characters, however they are encoded', () => {
    expect(check({ model: '😀'.repeat(200) })).not.toThrow()
    for (const model of ['', 'x'.repeat(201)]) {
      expect(check({ model })).toThrow(
        expect.objectContaining({
          code: 'invalid_value',
          param: 'model',
          message: expect.stringContaining('1 to 200 characters'),
        }),
      )
    }
  })

  test('is of a list that has a name', () => {
    expect(check({ priceList: '' })).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'price_list' }),
    )
  })

  test('is not below zero, and a cached token costs no more than a computed one', () => {
    expect(check({ price: { version, input: 0n, cachedInput: 0n, output: 0n } })).not.toThrow()
    for (const wrong of [
      { ...price, output: -1n },
      { ...price, cachedInput: price.input + 1n },
    ]) {
      expect(check({ price: wrong })).toThrow(
        expect.objectContaining({ code: 'invalid_value', param: 'rates' }),
      )
    }
  })
})

describe('a withdrawal', () => {
  test('is in time until a minute before the price takes effect, and is one for ever', () => {
    const announced = { ...published, effectiveFrom: NOW + PRICE_NOTICE_MS + 1 }
    expect(() => checkWithdrawal(version, announced, NOW)).not.toThrow()
    expect(() => checkWithdrawal(version, announced, NOW + 1)).toThrow('in less than a minute')
    expect(() => checkWithdrawal(version, published, NOW)).toThrow('took effect at')
    const withdrawn = { ...published, withdrawnAt: START_MS }
    expect(() => checkWithdrawal(version, withdrawn, NOW)).not.toThrow()
    expect(() => checkWithdrawal(version, undefined, NOW)).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    )
  })
})

describe('a correction', () => {
  const check =
    (fields: Partial<CorrectedPrice> = {}, of: PublishedPrice | undefined = published) =>
    (isInForce = false) =>
      checkCorrection(
        { version, rates, from: undefined, to: undefined, ...fields },
        of,
        isInForce,
        NOW,
      )

  test('is of all that was accepted at a version that was in force', () => {
    expect(check()).not.toThrow()
    expect(check({ from: START_MS, to: NOW })).not.toThrow()
    expect(() =>
      checkCorrection({ version, rates, from: 0, to: NOW }, undefined, false, NOW),
    ).toThrow(expect.objectContaining({ code: 'not_found' }))
  })

  test('needs a version at which something can have been charged', () => {
    for (const never of [
      { ...published, withdrawnAt: START_MS },
      { ...published, effectiveFrom: NOW + 1 },
    ]) {
      expect(check({}, never)).toThrow(
        expect.objectContaining({
          code: 'conflict',
          message: expect.stringContaining('never been in force'),
        }),
      )
    }
    expect(check({}, { ...published, effectiveFrom: NOW })).not.toThrow()
  })

  test('changes at least one rate, to one that can be', () => {
    const { input, cachedInput, output } = price
    expect(check({ rates: { input, cachedInput, output } })).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'rates' }),
    )
    expect(check({ rates: { input: input + 1n, cachedInput, output } })).not.toThrow()
    expect(check({ rates: { input, cachedInput: 0n, output } })).not.toThrow()
    expect(check({ rates: { input, cachedInput, output: 0n } })).not.toThrow()
    expect(check({ rates: { input, cachedInput, output: -1n } })).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'rates' }),
    )
  })

  test('says up to when while the version is in force, and no time to come', () => {
    expect(() => check()(true)).toThrow(expect.objectContaining({ code: 'conflict', param: 'to' }))
    expect(() => check({ to: NOW })(true)).not.toThrow()
    expect(check({ to: NOW + 1 })).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'to' }),
    )
  })

  test('has a period that ends after it begins', () => {
    for (const [from, to] of [
      [START_MS + 5, START_MS + 5],
      [START_MS + 6, START_MS + 5],
      [NOW, undefined],
    ]) {
      expect(check({ from, to })).toThrow(
        expect.objectContaining({ code: 'invalid_value', param: 'from' }),
      )
    }
    expect(check({ from: NOW - 1 })).not.toThrow()
  })

  test('waits until no gateway accepts a request that it is about', () => {
    expect(() => checkNotAccepted(version, NOW, NOW)).not.toThrow()
    expect(() => checkNotAccepted(version, NOW + 1, NOW)).toThrow(
      expect.objectContaining({
        code: 'conflict',
        param: 'to',
        message: expect.stringContaining(version),
      }),
    )
  })

  test('that goes on is about the same: what it leaves out is as it was', () => {
    const run = {
      runId: sampleId('run', 1),
      price: { version, ...rates },
      from: START_MS,
      to: NOW,
    }
    const asked = { version, rates, from: START_MS, to: NOW }
    for (const same of [asked, { ...asked, from: undefined }, { ...asked, to: undefined }]) {
      expect(() => checkSameRun(run, same)).not.toThrow()
    }
    for (const other of [
      { ...asked, version: sampleId('price', 2) },
      { ...asked, rates: { ...rates, output: 8n } },
      { ...asked, from: START_MS + 1 },
      { ...asked, to: NOW - 1 },
    ]) {
      expect(() => checkSameRun(run, other)).toThrow(
        expect.objectContaining({
          code: 'conflict',
          message: expect.stringContaining('begun before'),
        }),
      )
    }
  })
})

describe('a repeated publication', () => {
  const { input, cachedInput, output } = price
  const asked = { model: 'svc-beta', rates: { input, cachedInput, output } }

  test('is the same when model, list, rates and moment are', () => {
    for (const same of [
      asked,
      { ...asked, priceList: 'default' },
      { ...asked, effectiveFrom: START_MS },
      { ...asked, effectiveFrom: START_MS - 1 },
    ]) {
      expect(() => checkSamePrice(published, same)).not.toThrow()
    }
  })

  test('is refused when one of them is not', () => {
    for (const other of [
      { ...asked, model: 'another' },
      { ...asked, priceList: 'acme' },
      { ...asked, rates: { ...asked.rates, output: 0n } },
      { ...asked, effectiveFrom: START_MS + 1 },
    ]) {
      expect(() => checkSamePrice(published, other)).toThrow(
        expect.objectContaining({ code: 'conflict', message: expect.stringContaining(version) }),
      )
    }
  })
})
