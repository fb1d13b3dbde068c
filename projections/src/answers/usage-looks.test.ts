import { usageQuery } from '@svc/contracts/wire/usage'
import { expect, test } from 'vitest'
import { sumOfUsed } from '../views/usage/used.ts'
import { type UsageViews, usagePage } from './usage-answer.ts'

const NOW = Date.UTC(2026, 10, 29)

test.each([
  ['as many steps as asked for', 200, 'key', 100],
  ['fewer steps with many keys', 1_000, 'key', 20],
  ['one step at least', 50_000, 'key', 1],
  ['all steps of what is not grouped', 50_000, undefined, 100],
] as const)('a page has %s, and goes on behind them', (_name, series, group_by, steps) => {
  const asked: number[] = []
  const views: UsageViews = {
    seriesCount: () => series,
    keys: () => [],
    key: () => undefined,
    nextUse: (_filter, from) => from,
    usage({ edges }) {
      asked.push(edges.length - 1)
      return { steps: [], total: sumOfUsed([]) }
    },
  }
  const query = usageQuery.parse({ by: 'hour', limit: 100, group_by })
  const page = usagePage(views, 'acct_1', query, NOW)
  // The total of the period is one step more.
  expect(asked).toEqual([steps, 1])
  expect(page.has_more).toBe(true)
})
