/** Amounts with all the digits that an amount can have, on every page that has a table of them. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { changedAnswers } from '../testing/changed-answers.ts'
import type { PageServer } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { owner } from '../testing/service-roles.ts'
import { withPages } from '../testing/with-pages.ts'

const WIDTHS = [320, 768, 1440]
const DECIMALS_MAX = 12

const pages = [
  ['home', `accounts/${ACCOUNT}`],
  ['keys', `accounts/${ACCOUNT}/keys`],
  ['requests', `accounts/${ACCOUNT}/requests`],
  ['receipt', `accounts/${ACCOUNT}/requests?request=req_1`],
  ['statement', `accounts/${ACCOUNT}/statement`],
  ['usage', `accounts/${ACCOUNT}/usage?group=key`],
  ['operator-accounts', 'operator/accounts'],
  ...['grants', 'holds', 'keys', 'requests', 'statement'].map(
    (view) => [`operator-${view}`, `operator/accounts/${ACCOUNT}?view=${view}`] as const,
  ),
  ['operator-system', 'operator/system'],
] as const

/** Amounts in no pinned column, and those that a pinned column does not keep in sight alone. */
const OUT_OF_SIGHT = `(() => {
  const found = []
  for (const section of document.querySelectorAll('.scrolls-aside')) {
    const isOut = (cell) => {
      const edges = section.getBoundingClientRect()
      const { left, right } = cell.getBoundingClientRect()
      return left < edges.left - 1 || right > edges.right + 1
    }
    const note = (cells) =>
      found.push(...cells.filter(isOut).map((cell) => section.ariaLabel + ': ' + cell.textContent))
    const pinned = [...section.querySelectorAll('[data-pinned]')]
    const amounts = [...section.querySelectorAll('td')]
      .filter(({ textContent }) => textContent.startsWith('$'))
    note(pinned.length === 0 ? amounts : pinned)
    // Two of them would lie above one another.
    const isDouble = (row) => row.querySelectorAll('[data-pinned]').length > 1
    found.push(...[...section.querySelectorAll('tr')].filter(isDouble).map((row) => row.textContent))
    section.scrollLeft = section.scrollWidth
    note(pinned)
    section.scrollLeft = 0
  }
  return found
})()`

/** Numbers of which a part is covered or cut off, and that are shown all the same. */
const CUT = `(() => {
  const found = []
  for (const section of document.querySelectorAll('.scrolls-aside')) {
    const pinned = section.querySelector('th[data-pinned]')
    const edges = section.getBoundingClientRect()
    const end = pinned?.getBoundingClientRect().left ?? edges.right
    for (const cell of section.querySelectorAll('td:not([data-pinned])')) {
      const text = document.createRange()
      text.selectNodeContents(cell)
      const { left, right } = text.getBoundingClientRect()
      const isCut = (edge) => left + 1 < edge && edge < right - 1
      const isShown = getComputedStyle(cell).color !== 'rgba(0, 0, 0, 0)'
      const isNumber = /^\\$?[0-9][0-9,.]*$/.test(cell.textContent)
      if (isNumber && isShown && (isCut(edges.left) || isCut(end))) {
        found.push(section.ariaLabel + ': ' + cell.textContent)
      }
    }
  }
  return found
})()`
/** Figures above a page that leave their card, or lie over one another. */
const FIGURES_OUT = `(() => {
  const boxes = [...document.querySelectorAll('section dl > div > dd')].map((figure) => {
    const text = document.createRange()
    // What is said of it to those who do not see it lies elsewhere.
    text.selectNodeContents(figure.querySelector('[aria-hidden]') ?? figure)
    const { left, right, top, bottom } = text.getBoundingClientRect()
    const card = figure.closest('section').getBoundingClientRect()
    return { text: figure.textContent, left, right, top, bottom, card }
  })
  const isOut = ({ left, right, card }) => left < card.left || right > card.right
  const isOver = (a) => (b) => a !== b && a.left < b.right && b.left < a.right &&
    a.top < b.bottom && b.top < a.bottom
  return boxes.filter((box) => isOut(box) || boxes.some(isOver(box))).map(({ text }) => text)
})()`
const SCROLLS_PX = [0, 25, 60, 110, 160, 220]

const missing = missingChromium()

describe.skipIf(missing !== undefined)('amounts of many digits', () => {
  let server: PageServer
  let page: Page
  const answers = changedAnswers({ ...fullAnswers, ...owner }, withAllDigits)
  const adminAnswers = changedAnswers(fullAdminAnswers, withAllDigits)
  withPages({ answers, adminAnswers, isPageShared: true }, (opened) => {
    server = opened.server
    page = opened.page
  })

  test.each(pages)(
    '%s keeps the column of money in sight at any width: UX-62',
    async (name, path) => {
      await page.goto(`${server.url}/dashboard/${path}`)
      await page.locator('td', { hasText: '$98765' }).first().waitFor()
      await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        await keptScreenshot(page, `long-amounts-${name}-${width}`)
        expect.soft(await page.evaluate(OUT_OF_SIGHT), `at ${width}`).toEqual([])
      }
    },
  )

  test.each([
    ['home', `accounts/${ACCOUNT}`],
    ['usage', `accounts/${ACCOUNT}/usage`],
    ['operator-account', `operator/accounts/${ACCOUNT}`],
  ])('%s shows each figure in a place of its own: UX-62', async (_name, path) => {
    await page.goto(`${server.url}/dashboard/${path}`)
    await page.locator('dd', { hasText: '98765' }).first().waitFor()
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      expect.soft(await page.evaluate(FIGURES_OUT), `at ${width}`).toEqual([])
    }
  })

  test.each(pages)('%s shows no number in part: UX-62', async (_name, path) => {
    await page.goto(`${server.url}/dashboard/${path}`)
    await page.locator('td', { hasText: '$98765' }).first().waitFor()
    await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      for (const left of SCROLLS_PX) {
        await page.evaluate(scrolledTo(left))
        await expect
          .poll(() => page.evaluate(CUT), { message: `${width} px, ${left} aside` })
          .toEqual([])
      }
    }
  })
})

function scrolledTo(left: number): string {
  return `for (const section of document.querySelectorAll('.scrolls-aside')) section.scrollLeft = ${left}`
}

/** Five digits more before the point, and as many behind it as there can be. */
function withAllDigits(_field: string, value: unknown): unknown {
  if (typeof value !== 'string' || !/^\d+\.\d{2,}$/.test(value) || Number(value) === 0) return value
  const [dollars = '', decimals = ''] = value.split('.')
  return `98765${dollars}.${decimals.padEnd(DECIMALS_MAX, '9')}`
}
