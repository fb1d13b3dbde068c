/** Whatever is published and withdrawn: the lists say what a plain look at all says. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PriceLists, type PriceQuery } from './price-lists.ts'
import type { PublishedPrice } from './published-price.ts'

const LAST_MS = 12

/** The name of one list begins with that of another. */
const listNames = ['default', 'acme', 'acme-2', 'unknown'] as const
const models = ['m', 'n'] as const

const anyPrice = fc.record({
  priceList: fc.constantFrom(...listNames.slice(0, -1)),
  model: fc.constantFrom(...models),
  effectiveFrom: fc.integer({ min: 1, max: LAST_MS }),
  isDemo: fc.boolean(),
  isWithdrawn: fc.boolean(),
})

/** In the order of their publishing. No two of a list and model take effect at once. */
const anyPrices = fc
  .uniqueArray(anyPrice, {
    maxLength: 16,
    selector: ({ priceList, model, effectiveFrom }) => `${priceList} ${model} ${effectiveFrom}`,
  })
  .map((prices) =>
    prices.map((price, index) => {
      const { isWithdrawn, isDemo, ...where } = price
      const rates = { version: `price_${index}`, input: 1n, cachedInput: 1n, output: 1n }
      // The demo price is of the first start: it is never announced.
      const when = isDemo ? { effectiveFrom: 0 } : {}
      const made = { isDemo, publishedAt: 0, withdrawnAt: isWithdrawn ? 5 : null }
      return { ...rates, ...where, ...when, ...made }
    }),
  )

const anyQuery = fc.record({
  priceList: fc.constantFrom(...listNames),
  model: fc.constantFrom(...models),
  onBundledModel: fc.boolean(),
})
const anyTime = fc.integer({ min: 0, max: LAST_MS + 1 })

function listsOf(all: readonly PublishedPrice[]): PriceLists {
  const lists = new PriceLists()
  for (const price of all) lists.add({ ...price, withdrawnAt: null })
  for (const { version, withdrawnAt } of all) {
    if (withdrawnAt !== null) lists.withdraw(version, withdrawnAt)
  }
  return lists
}

/** The prices of one list, the earliest first; of two at once the one published first. */
function scheduleOf(all: readonly PublishedPrice[], query: PriceQuery): readonly PublishedPrice[] {
  return all
    .filter(({ priceList, model }) => priceList === query.priceList && model === query.model)
    .filter(({ withdrawnAt }) => withdrawnAt === null)
    .filter(({ isDemo }) => query.onBundledModel || !isDemo)
    .toSorted((one, other) => one.effectiveFrom - other.effectiveFrom)
}

const onDefault = (query: PriceQuery): PriceQuery => ({ ...query, priceList: 'default' })

/** What a request of an account on the list is pinned to at a moment. */
function pinnedAt(
  all: readonly PublishedPrice[],
  query: PriceQuery,
  at: number,
): PublishedPrice | null {
  const [own, general] = [query, onDefault(query)].map((each) =>
    scheduleOf(all, each).findLast(({ effectiveFrom }) => effectiveFrom <= at),
  )
  return own ?? general ?? null
}

test('each account pays the newest price of its list, or else of the default list', () => {
  fc.assert(
    fc.property(anyPrices, anyQuery, anyTime, (all, query, at) => {
      const lists = listsOf(all)
      const isKnown =
        query.priceList === 'default' || all.some(({ priceList }) => priceList === query.priceList)
      const pinned = pinnedAt(all, query, at)
      expect(lists.inForce(query, at)).toEqual(isKnown ? pinned : undefined)
      expect(lists.replacedBy(query, at)).toEqual(pinned)
      expect(lists.all()).toEqual(all)
      expect(lists.size).toBe(all.length)
      const inUse = all.filter(({ withdrawnAt }) => withdrawnAt === null)
      expect(lists.isInUse(query.priceList)).toBe(
        inUse.some(({ priceList }) => priceList === query.priceList),
      )
    }),
    { numRuns: 500 },
  )
})

test('what comes next is what will be paid at the next moment at which that is another', () => {
  fc.assert(
    fc.property(anyPrices, anyQuery, anyTime, (all, query, at) => {
      const lists = listsOf(all)
      const own = scheduleOf(all, { ...query, onBundledModel: true })
      const later = [...own, ...scheduleOf(all, onDefault(query))]
        .filter(({ effectiveFrom }) => effectiveFrom > at)
        .filter((price) => pinnedAt(all, query, price.effectiveFrom) === price)
        .toSorted((one, other) => one.effectiveFrom - other.effectiveFrom)
      expect(lists.next(query, at)).toEqual(later[0] ?? null)
      const { priceList, model } = query
      const ending = own.find(({ effectiveFrom }) => effectiveFrom > at)
      expect(lists.ending(priceList, model, at)).toEqual(ending ?? null)
      const starting = own.find(({ effectiveFrom }) => effectiveFrom === at)
      expect(lists.startingAt(priceList, model, at)).toEqual(starting)
    }),
    { numRuns: 500 },
  )
})

test('a list starts with the first price of any model of it', () => {
  fc.assert(
    fc.property(anyPrices, anyQuery, anyTime, (all, query, at) => {
      const starts = models
        .flatMap((model) => scheduleOf(all, { ...query, model }))
        .map(({ effectiveFrom }) => effectiveFrom)
      const first = Math.min(...starts)
      const isAhead = starts.length > 0 && first > at
      expect(listsOf(all).startOf(query, at)).toBe(isAhead ? first : null)
    }),
    { numRuns: 500 },
  )
})

test('a price is in force until the next one of its list takes its place', () => {
  fc.assert(
    fc.property(anyPrices, anyTime, (all, at) => {
      const lists = listsOf(all)
      for (const price of all) {
        expect(lists.find(price.version)).toEqual(price)
        const schedule = scheduleOf(all, { ...price, onBundledModel: true })
        const behind = schedule.indexOf(price) + 1
        if (behind === 0) continue
        const replacedAt = schedule[behind]?.effectiveFrom
        expect(lists.replacedAt(price)).toBe(replacedAt)
        expect(lists.isInForce(price, at)).toBe(
          price.effectiveFrom <= at && at < (replacedAt ?? Number.POSITIVE_INFINITY),
        )
      }
    }),
  )
})

test('of two that take effect at once, the one published later counts', () => {
  const price = { input: 1n, cachedInput: 1n, output: 1n, model: 'm', priceList: 'default' }
  const when = { isDemo: false, effectiveFrom: 1, publishedAt: 1, withdrawnAt: null }
  const [one, two] = ['price_1', 'price_2'].map((version) => ({ version, ...price, ...when }))
  const query = { model: 'm', priceList: 'default', onBundledModel: false }
  expect(listsOf([one, two] as PublishedPrice[]).inForce(query, 1)).toEqual(two)
})
