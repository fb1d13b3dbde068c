/** What happens between a click and its answer: nothing is asked or drawn too late. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { PageServer } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers, session } from '../testing/sample-answers.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const PAGE = 100
/** Each number of rows that a frame showed, one after the other. */
const WATCHED = `
  window.shown = []
  const look = () => {
    const rows = document.querySelectorAll('tr[data-row]').length
    if (window.shown.at(-1) !== rows) window.shown.push(rows)
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)`

describe.skipIf(missing !== undefined)('clicks', () => {
  let server: PageServer
  let page: Page
  withPages({ answers: fullAnswers, adminAnswers: fullAdminAnswers }, (opened) => {
    server = opened.server
    page = opened.page
  })

  const open = (path: string) => page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}${path}`)
  const rows = () => page.locator('tr[data-row]')
  const shown = () => page.evaluate<readonly number[]>('window.shown')

  /** Keeps what fits on its way until it is let go. */
  async function held(address: RegExp): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route(address, async (route) => {
      await promise
      await route.continue()
    })
    return resolve
  }

  test('a double-click and a held key press once: what was to be reviewed is not done', async () => {
    const granted: string[] = []
    const owner = { session: () => ({ ...session, platform_role: 'owner' as const }) }
    server.answers = { ...fullAnswers, ...owner }
    server.adminAnswers = {
      ...fullAdminAnswers,
      grant: ({ reason }) => {
        granted.push(reason)
        return { grant_id: 'grant_3', created: true }
      },
    }
    await page.goto(`${server.url}/dashboard/operator/accounts/${ACCOUNT}`)
    await page.getByRole('button', { name: 'Grant credit' }).click()
    const dialog = page.getByRole('dialog')
    const review = dialog.getByRole('button', { name: 'Review' })
    await dialog.getByLabel('Amount in dollars').fill('250')
    await dialog.getByLabel('Reason').fill('Invoice 7')
    // The second click of a slow double-click, behind the answer.
    await review.dblclick({ delay: 150 })
    await dialog.getByText('Changes by').waitFor()
    await dialog.getByLabel('Reason').fill('Invoice 8')
    await page.keyboard.down('Enter')
    await dialog.getByText('Changes by').waitFor()
    await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await page.evaluate(() => new Promise((done) => setTimeout(done, 100)))
    expect(granted).toEqual([])
    await dialog.getByRole('button', { name: 'Grant credit' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(granted).toEqual(['Invoice 8'])
  })

  test('what a page shows is asked for once, beside its code: UX-63', async () => {
    const asked: string[] = []
    const noted =
      <Given, Answer>(name: string, answer: (given: Given) => Answer) =>
      (given: Given) => {
        asked.push(name)
        return answer(given)
      }
    server.answers = {
      ...fullAnswers,
      requests: noted('requests', fullAnswers.requests),
      requestTotals: noted('totals', fullAnswers.requestTotals),
      accountStatement: noted('statement', fullAnswers.accountStatement),
      usage: noted('usage', fullAnswers.usage),
    }
    const pages = [
      ['Statement', 'statement', ['statement']],
      // The last of them asks for requests too, whose latency it draws.
      ['Usage', 'usage', ['usage']],
      ['Requests', 'requests', ['requests', 'totals']],
    ] as const
    for (const [name, file, questions] of pages) {
      await open('/members')
      await page.getByRole('heading', { name: 'Members', exact: true, level: 1 }).waitFor()
      const go = await held(new RegExp(`/assets/${file}-[^/]*\\.js$`))
      asked.length = 0
      await page.getByRole('link', { name, exact: true }).click()
      await expect.poll(() => asked.toSorted()).toEqual(questions)
      expect(await page.getByRole('heading', { name, exact: true, level: 1 }).count()).toBe(0)
      go()
      await page.getByRole('heading', { name, exact: true, level: 1 }).waitFor()
      await page.locator('[data-as-of]').first().waitFor()
      expect(asked.filter((each) => questions.some((question) => question === each))).toEqual(
        questions,
      )
    }
  })

  test('rows of before stay as they are until the new ones are there: UX-30', async () => {
    await open('/requests')
    await rows().first().waitFor()
    await page.locator('tfoot').waitFor()
    const go = await held(/\/requests\?.*status=failed/)
    await page.evaluate(`
      window.changes = 0
      new MutationObserver((all) => { window.changes += all.length }).observe(
        document.querySelector('tbody'),
        { attributes: true, characterData: true, childList: true, subtree: true },
      )`)
    await page.getByLabel('Status').selectOption('failed')
    await expect.poll(() => new URL(page.url()).search).toBe('?status=failed')
    const link = rows().first().getByRole('link')
    // Two frames, so that whatever was to be drawn is.
    await page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
    )
    expect(await page.evaluate('window.changes')).toBe(0)
    expect(await link.getAttribute('href')).not.toContain('failed')
    const isOld = page.getByText('still what was asked for before')
    await isOld.waitFor()
    go()
    await expect.poll(() => link.getAttribute('href')).toContain('?status=failed&request=')
    expect(await isOld.count()).toBe(0)
  })

  test('a receipt leaves the list in its place, and another page begins at its top', async () => {
    const [sample = expect.fail('no request')] = fullAnswers.requests().data
    const data = Array.from({ length: 60 }, (_, index) => ({ ...sample, id: `req_${index}` }))
    const requests = () => ({ ...fullAnswers.requests(), data })
    server.answers = { ...fullAnswers, requests }
    await open('/requests')
    const link = rows().nth(50).getByRole('link')
    await link.scrollIntoViewIfNeeded()
    const place = () => page.evaluate<number>('window.scrollY')
    const before = await place()
    expect(before).toBeGreaterThan(500)
    await link.click()
    await page.getByRole('dialog').getByText('Tokens × price').waitFor()
    expect(await place()).toBe(before)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.waitForTimeout(200)
    expect(await place()).toBe(before)
    await page.getByRole('link', { name: 'Usage', exact: true }).dispatchEvent('click')
    await page.locator('figure').first().waitFor()
    await expect.poll(place).toBe(0)
  })

  test('no row stands below the name of a group that it is not of', async () => {
    await open('/usage')
    await page.locator('figure').nth(3).waitFor()
    const go = await held(/\/usage\?.*group_by=key/)
    await page.getByLabel('Group by').selectOption('key')
    await page.getByRole('heading', { name: 'Key', exact: true }).waitFor()
    expect(await page.locator('main table').count()).toBe(0)
    go()
    await page.getByRole('columnheader', { name: 'Key', exact: true }).waitFor()
  })

  test('of a long list the rows of a window are painted first, and none goes again', async () => {
    const [sample = expect.fail('no entry')] = fullAnswers.accountStatement().data
    const statement = (first: number) =>
      Array.from({ length: PAGE }, (_, index) => ({ ...sample, entry: first + index }))
    server.answers = {
      ...fullAnswers,
      accountStatement: ({ cursor }) => ({
        ...fullAnswers.accountStatement(),
        data: statement(cursor === undefined ? 1 : PAGE + 1),
        has_more: cursor === undefined,
        next_cursor: cursor === undefined ? 'next' : null,
      }),
    }
    await page.addInitScript(WATCHED)
    await open('/statement')
    await expect.poll(shown).toEqual([0, 30, PAGE])
    await page.getByRole('button', { name: 'Load more' }).click()
    await expect.poll(shown).toEqual([0, 30, PAGE, PAGE + 30, 2 * PAGE])
    expect(await rows().count()).toBe(2 * PAGE)
    // Another list begins anew.
    await page.getByLabel('From').fill('2026-11-01')
    await expect.poll(shown).toEqual([0, 30, PAGE, PAGE + 30, 2 * PAGE, 30, PAGE])
  })
})
