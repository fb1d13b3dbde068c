/** What goes wrong while an operator works: nothing happens twice, or is offered in vain. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { type PageServer, Refused } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers, session } from '../testing/sample-answers.ts'
import { keptScreenshot } from '../testing/screenshots.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const pages = ['accounts', `accounts/${ACCOUNT}`, 'prices', 'audit', 'system', 'access', 'events']
const changes = [
  'Open account',
  'Grant credit',
  'Adjust',
  'Rename',
  'Price list',
  'Spending',
  'Freeze',
  'Close',
  'Take back',
  'New price',
  'Withdraw',
  'Correct',
  'Rebuild',
  'Drain',
  'Audit now',
  'Invite',
  'Disable',
  'Reset link',
  'Revoke',
  'New token',
]

describe.skipIf(missing !== undefined)('faults of an operator’s day', () => {
  let server: PageServer
  let page: Page
  withPages({ answers: fullAnswers, adminAnswers: fullAdminAnswers }, (opened) => {
    server = opened.server
    page = opened.page
  })

  const open = async (path: string, role: 'auditor' | 'owner' | null) => {
    server.answers = { ...fullAnswers, session: () => ({ ...session, platform_role: role }) }
    await page.goto(`${server.url}/dashboard/operator/${path}`)
    await page.locator('h1').first().waitFor()
    await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
  }
  const changesOffered = async () => {
    const offered = await page.locator('main').getByRole('button').allTextContents()
    return offered.filter((name) => changes.includes(name)).length
  }

  test.each(pages)('an auditor is offered no change: %s', async (path) => {
    await open(path, 'owner')
    if (path !== 'audit' && path !== 'events') expect(await changesOffered()).toBeGreaterThan(0)
    await open(path, 'auditor')
    expect(await changesOffered()).toBe(0)
  })

  test('there are no such pages for customers', async () => {
    await open('accounts', null)
    expect(await page.locator('h1').textContent()).toBe('This page does not exist')
    expect(await page.getByRole('link', { name: 'Operator' }).count()).toBe(0)
  })

  test('a grant whose answer was lost is sent again under the same key', async () => {
    const keys: unknown[] = []
    server.adminAnswers = {
      ...fullAdminAnswers,
      grant: ({ idempotency_key: key }) => {
        keys.push(key)
        if (keys.length === 1) return new Refused(503, 'store_unavailable', 'The store is away.')
        return { grant_id: 'grant_3', created: true }
      },
    }
    await open(`accounts/${ACCOUNT}`, 'owner')
    await page.getByRole('button', { name: 'Grant credit' }).click()
    const dialog = page.getByRole('dialog')
    const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
    await dialog.getByLabel('Amount in dollars').fill('-5')
    await dialog.getByLabel('Reason').fill('Invoice 42')
    await press('Review')
    await dialog.getByText('must be dollars above zero').waitFor()
    await dialog.getByLabel('Amount in dollars').fill('5')
    await press('Review')
    await press('Grant credit')
    await dialog.getByText('The store is away.').waitFor()
    await press('Grant credit')
    await dialog.waitFor({ state: 'detached' })
    expect(keys).toHaveLength(2)
    expect(keys[0]).toMatch(/^dashboard-[0-9a-f]{32}$/)
    expect(keys[1]).toBe(keys[0])
  })

  test('a grant says what is wrong with its amount, and expires on no day that is past', async () => {
    const granted: unknown[] = []
    server.adminAnswers = {
      ...fullAdminAnswers,
      grant: (input) => {
        granted.push(input)
        return { grant_id: 'grant_3', created: true }
      },
    }
    await open(`accounts/${ACCOUNT}`, 'owner')
    await page.getByRole('button', { name: 'Grant credit' }).click()
    const dialog = page.getByRole('dialog')
    const review = () => dialog.getByRole('button', { name: 'Review' }).click()
    await dialog.getByLabel('Reason').fill('Invoice 42')
    for (const [amount, problem] of [
      ['5,5', 'with a decimal point'],
      ['1.0000000000001', 'at most 12 decimals'],
      ['1'.repeat(19), 'at most 18 digits'],
      ['0', 'must be dollars above zero'],
    ] as const) {
      await dialog.getByLabel('Amount in dollars').fill(amount)
      await review()
      await dialog.getByText(problem).waitFor()
    }
    await dialog.getByLabel('Amount in dollars').fill('5')
    await dialog.getByText('At midnight when that day begins, in your time zone.').waitFor()
    await dialog.getByLabel('Expires on').fill('2026-11-20')
    await review()
    await dialog.getByText('would have expired already').waitFor()
    await dialog.getByLabel('Expires on').fill('2026-11-22')
    await review()
    await dialog.getByRole('button', { name: 'Grant credit' }).click()
    await dialog.waitFor({ state: 'detached' })
    const expires_at = new Date('2026-11-22T00:00').toISOString()
    expect(granted).toMatchObject([{ amount: '5', expires_at }])
  })

  test.each(['Drain', 'Remove'])(
    '%s of a worker is asked first, and the last is told',
    async (name) => {
      const changed: unknown[] = []
      const [worker] = fullAdminAnswers.listWorkers()
      if (worker === undefined) throw new Error('there is no worker')
      const noted = (input: unknown) => {
        changed.push(input)
        return {
          worker_id: 'w1',
          status: name === 'Drain' ? 'draining' : 'removed',
          ready_workers: 0,
        }
      }
      const ready = { ...worker, worker_id: 'w2' }
      server.adminAnswers = {
        ...fullAdminAnswers,
        listWorkers: () => [worker, ready],
        drainWorker: noted as never,
        removeWorker: noted as never,
      }
      const press = async () => {
        await page.getByRole('row', { name: 'w1' }).getByRole('button', { name }).click()
        await page.getByRole('heading', { name: `${name} worker w1?` }).waitFor()
      }
      const last = page.getByText('No other worker is ready')
      await open('system', 'owner')
      await press()
      expect(await last.count()).toBe(0)
      await page.keyboard.press('Escape')
      ready.status = 'unreachable'
      await page.getByText('unreachable').waitFor()
      await press()
      await last.waitFor()
      await keptScreenshot(page, `last-worker-${name}`)
      expect(changed).toEqual([])
      await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(changed).toMatchObject([{ worker_id: 'w1' }])
    },
  )

  test('work that fails behind its first line says so, and differences are named', async () => {
    await open('audit', 'auditor')
    await page.getByRole('button', { name: 'Reconcile now' }).click()
    await page.getByText('The books differ.').waitFor()
    await page.getByText('A row differs.').waitFor()
    const refusal = { type: 'error', error: { code: 'store_unavailable', message: 'It is away.' } }
    server.adminAnswers = {
      ...fullAdminAnswers,
      reconcile: () => [...fullAdminAnswers.reconcile().slice(0, 1), refusal as never],
    }
    await page.getByRole('button', { name: 'Reconcile now' }).click()
    await page.getByText('It is away.').waitFor()
    expect(await page.getByText('The books').count()).toBe(0)
  })
})
