/** Prices and corrections that are asked for again, by this process or another one. */
import { MODEL, openLedger, rates } from '@svc/testing/ledger/open-ledger'
import { describe, expect, test } from 'vitest'

const dearer = { ...rates, output: 9n }
const cheaper = { ...rates, output: 2n }
const HOUR_MS = 3_600_000

async function openTwo() {
  const one = await openLedger()
  const two = await openLedger({ store: one.store, time: one.time, gatewayId: 'gw_2' })
  return { ...one, pricing: one.ledger.pricing, others: two.ledger.pricing }
}

describe('a price with an idempotency key', () => {
  const asked = { model: MODEL, rates: dearer, idempotencyKey: 'march' }

  test('is published once, and found by another process too', async () => {
    const { pricing, others } = await openTwo()
    const { price, created } = await pricing.publish(asked)
    expect(created).toBe(true)
    expect(await pricing.publish(asked)).toEqual({ price, created: false })
    expect(await others.publish(asked)).toEqual({ price, created: false })
    expect(pricing.published()).toHaveLength(2)
  })

  test('is published by one of two processes that are asked at once', async () => {
    const { pricing, others } = await openTwo()
    const [one, other] = await Promise.all([pricing.publish(asked), others.publish(asked)])
    expect(one.price).toEqual(other.price)
    expect([one.created, other.created].toSorted()).toEqual([false, true])
  })

  test('is not taken for another one', async () => {
    const { pricing } = await openTwo()
    await pricing.publish(asked)
    const other = pricing.publish({ ...asked, rates: cheaper })
    await expect(other).rejects.toMatchObject({ code: 'conflict' })
    expect(pricing.published()).toHaveLength(2)
  })

  test('without which each time is another price', async () => {
    const { pricing } = await openTwo()
    const { idempotencyKey: _, ...unnamed } = asked
    const versions = [await pricing.publish(unnamed), await pricing.publish(unnamed)]
    expect(new Set(versions.map(({ price }) => price.version)).size).toBe(2)
  })
})

describe('the price of a first start', () => {
  test('is published where there is none', async () => {
    const { ledger } = await openLedger({ isPriced: false })
    await ledger.pricing.publishFirst({ model: MODEL, rates })
    await ledger.pricing.publishFirst({ model: MODEL, rates: dearer })
    expect(ledger.pricing.published()).toMatchObject([rates])
  })

  test('is published by one of two processes that start at once', async () => {
    const one = await openLedger({ isPriced: false })
    const two = await openLedger({ store: one.store, time: one.time, isPriced: false })
    const starts = [one, two].map(({ ledger }) =>
      ledger.pricing.publishFirst({ model: MODEL, rates }),
    )
    await Promise.all(starts)
    await two.ledger.pricing.lookAgain()
    expect(two.ledger.pricing.published()).toHaveLength(1)
  })
})

describe('a price that is approved', () => {
  test('is not approved again where another process has published it', async () => {
    const { pricing, others } = await openTwo()
    const asked = { model: MODEL, rates: dearer, idempotencyKey: 'march' }
    const { price } = await pricing.publish(asked)
    const approve = () => {
      throw new Error('it replaces itself')
    }
    expect(await others.publish({ ...asked, approve })).toEqual({ price, created: false })
  })

  test('is shown beside the one that it replaces, and published only then', async () => {
    const { pricing } = await openTwo()
    const [first] = pricing.published()
    const shown: unknown[] = []
    await pricing.publish({ model: MODEL, rates: dearer, approve: (price) => shown.push(price) })
    expect(shown).toEqual([first])
    const approve = () => {
      throw new Error('not this one')
    }
    const refused = pricing.publish({ model: MODEL, rates: cheaper, approve })
    await expect(refused).rejects.toThrow('not this one')
    expect(pricing.published()).toHaveLength(2)
  })
})

describe('a correction', () => {
  const why = { idempotencyKey: 'run', reason: 'a slip', actor: 'operator' }

  async function openReplaced() {
    const setting = await openTwo()
    const version = setting.pricing.current(MODEL)?.version ?? ''
    await setting.pricing.publish({ model: MODEL, rates: dearer })
    await setting.time.advance(HOUR_MS)
    return { ...setting, asked: { version, rates: dearer, from: undefined, to: undefined } }
  }

  test('under one key is one run, with the period that it had at first', async () => {
    const { pricing, others, time, store, asked } = await openReplaced()
    const run = await pricing.correct({ ...asked, ...why })
    const before = await store.lastPosition()
    await time.advance(HOUR_MS)
    expect(await pricing.correct({ ...asked, ...why })).toEqual(run)
    expect(await others.correct({ ...asked, ...why })).toEqual(run)
    expect(await store.lastPosition()).toBe(before)
    expect([pricing.isRun(run.runId), pricing.isRun('run_other')]).toEqual([true, false])
  })

  test('under a key that was used is about the same requests, or refused', async () => {
    const { pricing, asked } = await openReplaced()
    const run = await pricing.correct({ ...asked, ...why })
    for (const other of [{ rates: cheaper }, { to: run.to - 1 }, { from: 1 }]) {
      const begun = pricing.correct({ ...asked, ...other, ...why })
      await expect(begun).rejects.toMatchObject({ code: 'conflict' })
    }
  })

  test('of a price in force needs an end, and of an unknown one is refused', async () => {
    const { pricing, time, asked } = await openReplaced()
    const current = { ...asked, version: pricing.current(MODEL)?.version ?? '', rates: cheaper }
    const refused = { code: 'conflict', param: 'to' }
    await expect(pricing.correct({ ...current, ...why })).rejects.toMatchObject(refused)
    await expect(pricing.previewCorrection(current)).rejects.toMatchObject(refused)
    const unknown = pricing.correct({ ...asked, ...why, version: 'price_other' })
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' })
    const ended = { ...current, to: time.nowMs() }
    expect(await pricing.correct({ ...ended, ...why })).toMatchObject({ to: time.nowMs() })
  })
})

test('a list that another process has just published is in use', async () => {
  const { pricing, others, ledger } = await openTwo()
  await others.publish({ model: MODEL, rates: dearer, priceList: 'acme' })
  const { accountId } = await ledger.administration.openAccount({ name: 'a', actor: 'operator' })
  const set = (priceList: string) =>
    ledger.administration.setPriceList(accountId, { priceList, actor: 'operator' })
  await expect(set('unknown')).rejects.toMatchObject({ param: 'price_list' })
  expect(await set('acme')).toBe(true)
  expect(pricing.current(MODEL, false, 'acme')).toMatchObject(dearer)
})

test('prices of other processes are found every few seconds, until the ledger is closed', async () => {
  const { pricing, others, ledger, time } = await openTwo()
  for (const output of [7n, 8n]) {
    await others.publish({ model: MODEL, rates: { ...rates, output } })
    await time.advance(5_000)
    expect(pricing.current(MODEL)).toMatchObject({ output })
  }
  const planned = time.plannedCount
  await ledger.close()
  expect(time.plannedCount).toBe(planned - 1)
  const late = pricing.publish({ model: MODEL, rates: dearer })
  await expect(late).rejects.toMatchObject({ code: 'shutting_down' })
})
