/** Usage of an account with very many keys, and with very much, or nothing, from the cache. */
import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { PageServer } from '../testing/page-server.ts'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const KEYS = 400

describe.skipIf(missing !== undefined)('usage', () => {
  let server: PageServer
  let page: Page
  withPages({ answers: fullAnswers }, (opened) => {
    server = opened.server
    page = opened.page
  })

  test('goes on where the server gave a part: rows and their sum are of one period: UX-04', async () => {
    const cursors: unknown[] = []
    server.answers = {
      ...fullAnswers,
      usage: (input) => {
        const whole = fullAnswers.usage(input)
        if (input.group_by === undefined) return whole
        cursors.push(input.cursor)
        return partOf(whole, input.cursor)
      },
    }
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}/usage?group=key`)
    const rows = page.getByRole('region', { name: 'Usage' }).locator('tbody tr')
    const more = page.getByRole('button', { name: 'Load more' })
    await expect.poll(() => rows.count()).toBe(KEYS)
    await more.click()
    await expect.poll(() => rows.count()).toBe(2 * KEYS)
    expect(await more.count()).toBe(0)
    expect(cursors).toEqual([undefined, 'second'])
  })

  const usageFrom = async (cached: number, input: number) => {
    const usage: typeof fullAnswers.usage = (asked) =>
      cachedOf(fullAnswers.usage(asked), cached, input)
    server.answers = { ...fullAnswers, usage }
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}/usage`)
  }

  test('a prompt that was cached but for a token was not cached whole', async () => {
    await usageFrom(99_960, 40)
    await page.getByText('99.9 %').waitFor()
  })

  test('latency is of the period of the page, on its axis, with gaps where nothing was asked', async () => {
    const asked: unknown[] = []
    const days = ['20', '19', '16']
    const [sample = expect.fail('no request')] = fullAnswers.requests().data
    server.answers = {
      ...fullAnswers,
      requests({ from, to, zone }) {
        asked.push({ from, to, zone })
        const data = days.map((day) => ({ ...sample, created_at: `2026-11-${day}T10:00:00.000Z` }))
        return { ...fullAnswers.requests(), data, has_more: false, next_cursor: null }
      },
    }
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}/usage`)
    const chartOf = (name: string) =>
      page.locator('section', { has: page.getByRole('heading', { name, exact: true }) })
    const lines = chartOf('Latency').locator('svg[role=img] path[class*=stroke]')
    await expect.poll(() => lines.count()).toBe(4)
    // The page names no period: it is the one that the server took.
    const { from, to, zone } = fullAnswers.usage({} as never)
    expect(asked).toEqual([{ from, to, zone }])
    for (const line of await lines.all()) {
      expect((await line.getAttribute('d'))?.replace(/[^A-Z]/g, '')).toBe('MML')
    }
    const axisOf = (name: string) => chartOf(name).locator('svg[role=img] > text').allTextContents()
    expect(await axisOf('Latency')).toEqual(await axisOf('Cost'))
    await keptScreenshot(page, 'usage-latency-gaps')
  })

  test('keys of one name are told apart, in usage as among requests', async () => {
    const [sample = expect.fail('no key')] = fullAnswers.listAccountKeys()
    const [request = expect.fail('no request')] = fullAnswers.requests().data
    const named = (id: string, end: string) => ({
      ...sample,
      key_id: id,
      name: 'ci',
      last_four: end,
    })
    const keys = ['key_1', 'key_2'].map((id) => ({ id, name: 'ci' }))
    server.answers = {
      ...fullAnswers,
      listAccountKeys: () => [named('key_1', 'aaaa'), named('key_2', 'bbbb')],
      usage(asked) {
        const usage = fullAnswers.usage(asked)
        const [day = expect.fail('no day')] = usage.data
        return asked.group_by ? { ...usage, data: keys.map((key) => ({ ...day, key })) } : usage
      },
      requests: () => ({
        ...fullAnswers.requests(),
        data: keys.map((key) => ({ ...request, id: `req_${key.id}`, key })),
      }),
    }
    const names = (table: string) =>
      page.getByRole('region', { name: table }).locator('tbody bdi').allTextContents()
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}/usage?group=key`)
    await expect.poll(() => names('Usage')).toEqual(['ci …aaaa', 'ci …bbbb'])
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}/requests`)
    await expect.poll(() => names('Requests')).toEqual(['ci …aaaa', 'ci …bbbb'])
    const choices = page.getByLabel('Key', { exact: true }).locator('option')
    expect(await choices.allTextContents()).toEqual(['All', 'ci …aaaa', 'ci …bbbb'])
  })

  test('an axis of nothing saved has no labels that are cut off', async () => {
    await usageFrom(0, 100)
    const heading = page.getByRole('heading', { name: 'Saved by the cache' })
    const chart = page.locator('section', { has: heading }).getByRole('img')
    await chart.waitFor()
    const labels = chart.locator('g text')
    await expect.poll(() => labels.allTextContents()).toEqual(['$0.00'])
  })
})

/** @param cached and input prompt tokens that came from the cache, and that did not */
function cachedOf(usage: DashboardOutput<'usage'>, cached: number, input: number) {
  const linesOf = (lines: (typeof usage)['total']['lines']) =>
    lines.map((line) => {
      if (line.class === 'input') return { ...line, tokens: input }
      if (line.class !== 'cached_input') return line
      return { ...line, tokens: cached, amount: cached === 0 ? '0.00' : line.amount }
    })
  const withLines = <Row extends (typeof usage)['total']>(row: Row) => ({
    ...row,
    lines: linesOf(row.lines),
  })
  return { ...usage, data: usage.data.map(withLines), total: withLines(usage.total) }
}

/** A day of many keys, as the server gives it; another one behind the cursor. */
function partOf(usage: DashboardOutput<'usage'>, cursor: string | undefined) {
  const day = usage.data[cursor === undefined ? 0 : 1]
  if (day === undefined) throw new Error('the sample has no such day')
  const names = Array.from({ length: KEYS }, (_, index) => `key_${index}`)
  const data = names.map((id) => ({ ...day, key: { id, name: id } }))
  const isFirst = cursor === undefined
  return { ...usage, data, has_more: isFirst, next_cursor: isFirst ? 'second' : null }
}
