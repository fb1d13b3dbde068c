/** What operators do beside accounts: a month, the past, evidence, people, workers. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { violations } from '../testing/accessibility.ts'
import { missingChromium, openChromium } from '../testing/chromium.ts'
import { type AdminAnswers, type PageServer, startPageServer } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers, HOSTILE, session } from '../testing/sample-answers.ts'

const missing = missingChromium()
const progress = { type: 'progress', part: 'log', share: 0.5, events: 10, rate: 1_000 } as const
const sums = {
  ...{ opening: '0.00', payments: '50.00', promotional: '5.00', used: '8.7901687' },
  ...{ expired: '0.00', refunded: '0.00', corrected: '-5.00', closing: '41.2098313' },
}

describe.skipIf(missing !== undefined)('an operator', () => {
  let server: PageServer
  let browser: Browser
  let page: Page
  let asked: unknown[]

  beforeAll(async () => {
    const owner = { session: () => ({ ...session, platform_role: 'owner' as const }) }
    server = await startPageServer({ ...fullAnswers, ...owner }, fullAdminAnswers)
    browser = await openChromium()
  })

  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  beforeEach(async () => {
    asked = []
    server.adminAnswers = fullAdminAnswers
    page = await browser.newPage()
    return () => page.close()
  })

  const answer = (answers: AdminAnswers) => {
    server.adminAnswers = { ...fullAdminAnswers, ...answers }
  }
  const open = (path: string) => page.goto(`${server.url}/dashboard/operator${path}`)
  const card = (title: string) =>
    page.locator('section', { has: page.getByRole('heading', { name: title, exact: true }) })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const saved = async (start: () => Promise<void>) => {
    const [download] = await Promise.all([page.waitForEvent('download'), start()])
    const pieces: Uint8Array[] = []
    for await (const piece of await download.createReadStream()) pieces.push(piece)
    return { name: download.suggestedFilename(), text: Buffer.concat(pieces).toString('utf8') }
  }

  test('closes a month: its sums, and a file with a row for each customer', async () => {
    answer({
      month: ({ month, zone }) => ({
        ...{ month, zone: zone ?? 'UTC', currency: 'USD', position: '182440' },
        ...{ from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' },
        customers: [{ account_id: ACCOUNT, external_id: '=1+1', name: HOSTILE, ...sums }],
        totals: sums,
      }),
    })
    await open('/audit')
    await page.getByLabel('Month', { exact: true }).fill('2026-11')
    await card('Month').getByRole('button', { name: 'Show' }).click()
    await card('Month').getByText('$41.2098313').waitFor()
    expect(await violations(page)).toEqual([])
    const { name, text } = await saved(() =>
      card('Month').getByRole('button', { name: 'CSV' }).click(),
    )
    expect(name).toBe('month-2026-11.csv')
    expect(text).toContain(`${ACCOUNT},'=1+1,`)
    expect(text.trimEnd().split('\r\n').at(-1)).toBe(
      'total,,,0.00,50.00,5.00,8.7901687,0.00,0.00,-5.00,41.2098313',
    )
  })

  test('asks how balances were, at a day: UX-55', async () => {
    answer({
      replay: (input) => {
        asked.push(input)
        const [account] = fullAdminAnswers.listAccounts()
        return account === undefined
          ? []
          : [
              progress,
              { type: 'account', account },
              {
                ...{ type: 'result', position: '1234', events: 1_235, account: null },
                totals: { accounts: 1, settled: '41.2098313', held: '0.0123' },
              },
            ]
      },
    })
    await open('/audit')
    await page.getByLabel('Time or position').fill('2026-11-01')
    await card('Balances as they were').getByRole('button', { name: 'Show' }).click()
    await page.getByText('At position 1,234, from 1,235 events.').waitFor()
    expect(asked).toEqual([{ to: '2026-11-01T00:00:00Z', statement: false }])
    expect(await card('Balances as they were').locator('tfoot').textContent()).toContain('$0.0123')
  })

  test('compares live views with the log, and sees the row that differs', async () => {
    answer({
      compareViews: () => [
        progress,
        {
          ...{ type: 'result', same: false },
          views: [{ name: 'usage', events: 1_235, differences: 1 }],
          first: [
            {
              view: 'usage',
              table: 'keys',
              key: { key_id: 'key_1' },
              live: null,
              replayed: { n: 1 },
            },
          ],
        },
      ],
    })
    await open('/audit')
    await button('Compare now').click()
    await page.getByText('Live views differ from the log.').waitFor()
    await page.getByText('usage.keys {"key_id":"key_1"}: live null, replayed {"n":1}').waitFor()
  })

  test('saves the evidence of an account as it comes', async () => {
    answer({ exportEvidence: () => [{ text: '{"svc_evidence":1}\n' }, { text: '{"n":1}\n' }] })
    await open('/audit')
    await page.getByLabel('Evidence file of an account').fill(ACCOUNT)
    const file = await saved(() => button('Save the file').click())
    expect(file).toEqual({
      name: `evidence-${ACCOUNT}.jsonl`,
      text: '{"svc_evidence":1}\n{"n":1}\n',
    })
  })

  test('gives a user another role, and erases one after a question', async () => {
    answer({
      setUserRole: (input) => {
        asked.push(input)
        return { user_id: input.user_id, changed: true }
      },
      eraseUser: (input) => {
        asked.push(input)
        return { user_id: input.user_id, changed: true }
      },
    })
    await open('/access')
    await page.getByLabel(`Role of ${HOSTILE}`).selectOption('auditor')
    await expect.poll(() => asked).toEqual([{ user_id: 'user_2', platform_role: 'auditor' }])
    await button('Erase').click()
    await page.getByText('This cannot be undone.').waitFor()
    expect(asked).toHaveLength(1)
    await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(asked.at(-1)).toEqual({ user_id: 'user_2' })
  })

  test('adds a worker, and removes one after a question', async () => {
    answer({
      addWorker: (input) => {
        asked.push(input)
        return { worker_id: 'w9', created: true } as never
      },
      removeWorker: (input) => {
        asked.push(input)
        return { worker_id: input.worker_id } as never
      },
    })
    await open('/system')
    await button('Add worker').click()
    await page.getByLabel('Address').fill('http://10.0.0.7:9001')
    await page.getByRole('dialog').getByRole('button', { name: 'Add worker' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await button('Remove').first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(asked).toMatchObject([
      { worker_id: null, url: 'http://10.0.0.7:9001' },
      { worker_id: expect.any(String) },
    ])
  })

  test('reads who did what by name', async () => {
    answer({
      listEvents: () => {
        const page = fullAdminAnswers.listEvents()
        const events = page.events.map((event) => ({
          ...event,
          metadata: { actor: 'user:user_1' },
        }))
        return { ...page, events }
      },
    })
    await open('/events')
    await page.locator('tr[data-row]').getByText('Ada Lovelace').waitFor()
  })

  test('sees what accounts spent in thirty days, the most first: UX-51', async () => {
    await open('/accounts?order=spent')
    await page.locator('tr[data-row]').first().getByText('$8.7901687').waitFor()
    expect(await page.locator('tfoot').textContent()).toContain('$8.7901687')
  })
})
