/** Every page, full and empty, light and dark, narrow and wide, in a real Chromium. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { violations } from '../testing/accessibility.ts'
import type { PageServer } from '../testing/page-server.ts'
import { emptyAdminAnswers, fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, emptyAnswers, fullAnswers, signedOut } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { auditor, owner } from '../testing/service-roles.ts'
import { withPages } from '../testing/with-pages.ts'

const NARROW = 320
const WIDTHS = [NARROW, 768, 1440]
/** Longer words of a table are what people call their things. */
const WORD_CHARACTERS_MAX = 16
const HEIGHT = 900

const account = (page: string) => `/dashboard/accounts/${ACCOUNT}${page}`
const operator = (page: string) => `/dashboard/operator${page}`
const states = { full: fullAnswers, empty: emptyAnswers }
const adminStates = { full: fullAdminAnswers, empty: emptyAdminAnswers }
const strangers = { session: () => signedOut }

const signedInPages = [
  ['home', account('')],
  ['keys', account('/keys')],
  ['requests', account('/requests')],
  ['statement', account('/statement')],
  ['usage', account('/usage?group=key')],
  ['chat', account('/chat')],
  ['members', account('/members')],
] as const
const operatedAccount = (view: string) => operator(`/accounts/${ACCOUNT}?view=${view}`)
const operatorPages = [
  ['operator-accounts', operator('/accounts')],
  ['operator-grants', operatedAccount('grants')],
  ['operator-holds', operatedAccount('holds')],
  ['operator-keys', operatedAccount('keys')],
  ['operator-requests', operatedAccount('requests')],
  ['operator-statement', operatedAccount('statement')],
  ['operator-usage', operatedAccount('usage&group=key')],
  ['operator-prices', operator('/prices')],
  ['operator-audit', operator('/audit')],
  ['operator-system', operator('/system')],
  ['operator-access', operator('/access')],
  ['operator-events', operator('/events')],
] as const
/** There is no empty state of these. */
const alwaysFullPages = [
  ['new-key', account('/keys?create=true')],
  ['receipt', account('/requests?request=req_1')],
  ['profile', '/dashboard/profile'],
  ['missing', '/dashboard/nowhere'],
] as const
const openPages = [
  ['sign-in', '/dashboard/sign-in'],
  ['sign-up', '/dashboard/sign-up'],
  ['join', '/dashboard/join#secret'],
  ['prices', '/dashboard/prices'],
] as const

const cases = (['full', 'empty'] as const).flatMap((state) => [
  ...[...signedInPages, ...(state === 'full' ? alwaysFullPages : [])].map(([name, path]) => ({
    name,
    path,
    state,
    answers: states[state],
  })),
  ...(state === 'full' ? openPages : []).map(([name, path]) => {
    return { name, path, state, answers: { ...fullAnswers, ...strangers } }
  }),
  ...operatorPages.map(([name, path]) => {
    return { name, path, state, answers: { ...states[state], ...owner } }
  }),
  ...(state === 'full' ? operatorPages : []).map(([name, path]) => {
    return { name: `${name}-auditor`, path, state, answers: { ...fullAnswers, ...auditor } }
  }),
])

const missing = missingChromium()

describe.skipIf(missing !== undefined)(`every page${missing ? ` (${missing})` : ''}`, () => {
  let server: PageServer
  let page: Page
  let faults: string[] = []
  withPages({ answers: fullAnswers, isPageShared: true }, (opened) => {
    server = opened.server
    if (page !== opened.page) watchFaults(opened.page, server.url, (fault) => faults.push(fault))
    page = opened.page
    faults = []
  })

  test.each(cases)('$name, $state: UX-60, UX-62', async ({ name, path, state, answers }) => {
    server.answers = answers
    server.adminAnswers = adminStates[state]
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(`${server.url}${path}`)
    await page.locator('h1').first().waitFor()
    await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
    const widen = (width: number) => page.setViewportSize({ width, height: HEIGHT })
    for (const width of WIDTHS) {
      await widen(width)
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
      expect.soft(wide, `width of the page at ${width}`).toBeLessThanOrEqual(width)
      expect.soft(await brokenWords(page), `words broken at ${width}`).toEqual([])
      await keptScreenshot(page, `${name}-${state}-light-${width}`)
      if (width === NARROW) expect.soft(await violations(page)).toEqual([])
    }
    await page.emulateMedia({ colorScheme: 'dark' })
    expect.soft(await violations(page)).toEqual([])
    await keptScreenshot(page, `${name}-${state}-dark-${WIDTHS.at(-1)}`)
    await widen(NARROW)
    await keptScreenshot(page, `${name}-${state}-dark-${NARROW}`)
    expect.soft(faults).toEqual([])
  })
})

/** Words and ids of tables that go on in another line: addresses may, nothing else. */
function brokenWords(page: Page): Promise<readonly string[]> {
  return page.evaluate(`{
    const broken = []
    const linesOf = (range) =>
      new Set(Array.from(range.getClientRects(), ({ bottom }) => bottom)).size
    for (const id of document.querySelectorAll('td code')) {
      const range = document.createRange()
      range.selectNodeContents(id)
      if (linesOf(range) > 1) broken.push(id.textContent)
    }
    for (const cell of document.querySelectorAll('th, td')) {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) {
        const words = texts.currentNode.data.matchAll(/(?<!\\S)\\p{L}+(?!\\S)/gu)
        for (const { 0: word, index } of words) {
          const range = document.createRange()
          range.setStart(texts.currentNode, index)
          range.setEnd(texts.currentNode, index + word.length)
          if (linesOf(range) > 1 && word.length <= ${WORD_CHARACTERS_MAX}) broken.push(word)
        }
      }
    }
    broken
  }`)
}

/** Requests off the origin, refusals of the policy, errors on the console: none is ever right. */
function watchFaults(page: Page, origin: string, tell: (fault: string) => void): void {
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(origin) && !url.startsWith('data:')) tell(`asked ${url}`)
  })
  page.on('console', (message) => {
    if (message.type() === 'error') tell(message.text())
  })
  page.on('pageerror', (error) => tell(error.message))
  page.on('dialog', async (dialog) => {
    tell(`a script ran: ${dialog.message()}`)
    await dialog.dismiss()
  })
}
