/** What operators do beside accounts: a month, the past, evidence, people. */
import type { ProjectionDetails } from '@svc/contracts/admin/projections'
import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { violations } from '../testing/accessibility.ts'
import { hurryUntil } from '../testing/hurry.ts'
import type { AdminAnswers, PageServer } from '../testing/page-server.ts'
import {
  fullAdminAnswers,
  monthSums,
  nothingFound,
  soundLog,
} from '../testing/sample-admin-answers.ts'
import { ACCOUNT, HOSTILE } from '../testing/sample-answers.ts'
import { ownerPages } from '../testing/service-roles.ts'
import { withPages } from '../testing/with-pages.ts'

type Rebuild = NonNullable<ProjectionDetails['rebuild']>

const missing = missingChromium()
const progress = { type: 'progress', part: 'log', share: 0.5, events: 10, rate: 1_000 } as const

describe.skipIf(missing !== undefined)('an operator', () => {
  let server: PageServer
  let page: Page
  let asked: unknown[]
  withPages(ownerPages, (opened) => {
    server = opened.server
    page = opened.page
    asked = []
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

  test('sees how far each view is, the worst one first, and rebuilds one: UX-52, UX-53', async () => {
    const [view] = fullAdminAnswers.listProjections()
    if (view === undefined) throw new Error('no view')
    const running: Rebuild = {
      state: 'running',
      done: 50,
      total: 200,
      differences: null,
      error: null,
    }
    let rebuild: Rebuild | null = null
    // Positions of an EventStoreDB: 440 bytes are two events.
    const late = { position: '182000', state: 'catching-up', behind_seconds: 90 } as const
    const counted = { behind_events: 2, behind_events_exact: true }
    const views = () => [
      { ...view, rebuild },
      { ...view, name: 'usage', ...late, ...counted },
    ]
    answer({
      listProjections: views,
      tryRebuild: ({ name }) => ({ name, events: 200, tried: 100, rate: 1_000, seconds: 0.2 }),
      rebuildProjection: (input) => {
        asked.push(input)
        rebuild = running
        return []
      },
      cancelRebuild: (input) => {
        asked.push(input)
        rebuild = { ...running, state: 'cancelled' }
        return { cancelled: true }
      },
    })
    await page.clock.install()
    await open('/system')
    await page.getByText('Furthest behind: usage, 2 events, for 90.0 s.').waitFor()
    await page.getByText('182,000 of 182,440').waitFor()
    counted.behind_events_exact = false
    const atLeast = page.getByText('Furthest behind: usage, at least 2 events, for 90.0 s.')
    await hurryUntil(page, atLeast)
    await button('Rebuild').first().click()
    await page.getByText('It will read 200 events: about 200 ms, at 1,000 in a second.').waitFor()
    expect(asked).toEqual([])
    expect(await violations(page)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Rebuild' }).click()
    await page.getByRole('progressbar', { name: 'Rebuild of accounts' }).waitFor()
    await page.reload()
    await page.getByText('25 %').waitFor()
    await button('Cancel').click()
    await hurryUntil(page, page.getByText('Cancelled. The live view is as it was.'))
    expect(asked).toEqual([{ name: 'accounts', detached: true }, { name: 'accounts' }])
    rebuild = { ...running, state: 'done', done: 200, differences: 0 }
    const rebuilt = 'Rebuilt from 200 events: 0 differences between old and new.'
    await hurryUntil(page, page.getByText(rebuilt))
  })

  test('closes a month: its sums, and a file with a row for each customer', async () => {
    answer({
      month: ({ month, zone }) => ({
        month,
        zone: zone ?? 'UTC',
        currency: 'USD',
        position: '182440',
        from: '2026-11-01T00:00:00Z',
        to: '2026-12-01T00:00:00Z',
        over: false,
        customers: [{ account_id: ACCOUNT, external_id: '=1+1', name: HOSTILE, ...monthSums }],
        totals: monthSums,
      }),
    })
    await open('/audit')
    await page.getByLabel('Month', { exact: true }).fill('2026-11')
    await button('Show month').click()
    await card('Month').getByText('$41.2098313').waitFor()
    await card('Month').getByText('This month is not over').waitFor()
    await card('Month').getByText('Accounts: 1', { exact: true }).waitFor()
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

  test('corrects a wrong price: what it comes to first, and again whenever something is typed', async () => {
    const [price] = fullAdminAnswers.listPrices()
    if (price === undefined) throw new Error('no price')
    const { input, cached_input, output, version } = price
    const old = { input, cached_input, output }
    answer({
      correctPrice: ({ dry_run, reason, ...rates }) => {
        asked.push({ dry_run, reason, input: rates.input })
        const amounts = { before: '2.50', after: '1.25', amount: '1.25' }
        const one = { account_id: ACCOUNT, name: HOSTILE, requests: 12, ...amounts }
        return [
          { type: 'progress', accounts: 1, total: 2 },
          {
            type: 'account',
            ...one,
            paid: '1.25',
            promotional: '0.00',
            created: dry_run !== true,
            problem: null,
          },
          {
            type: 'result',
            run_id: null,
            dry_run: dry_run === true,
            version,
            old,
            model: price.model,
            price_list: price.price_list,
            new: { ...old, input: '0.10' },
            from: '2026-11-01T00:00:00Z',
            to: '2026-11-20T00:00:00Z',
            accounts: 1,
            requests: 12,
            created: 1,
            problems: 0,
            ...amounts,
          },
        ]
      },
    })
    await open('/prices')
    await button('Correct').first().click()
    const dialog = page.getByRole('dialog')
    const press = (name: string) => dialog.getByRole('button', { name, exact: true }).last().click()
    await dialog.getByLabel('Input', { exact: true }).fill('0.10')
    await dialog.getByLabel('Reason').fill('a slip of the pen')
    await press('Review')
    await dialog
      .getByText('Nothing is done yet. Accounts that would change: 1, with requests: 12.')
      .waitFor()
    await dialog.getByLabel('Reason').fill('a slip of the pen, #7')
    await press('Review')
    await press('Adjust the accounts')
    await dialog.getByText('Accounts looked at: 1, with requests: 12.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Review' }).isDisabled()).toBe(true)
    expect(await violations(page)).toEqual([])
    await press('Close')
    await dialog.waitFor({ state: 'detached' })
    const said = { input: '0.10', reason: 'a slip of the pen, #7' }
    expect(asked).toEqual([
      { ...said, reason: 'a slip of the pen', dry_run: true },
      { ...said, dry_run: true },
      { ...said, dry_run: false },
    ])
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
                type: 'result',
                position: '1234',
                events: 1_235,
                account: null,
                totals: { accounts: 1, settled: '41.2098313', held: '0.0123' },
              },
            ]
      },
    })
    await open('/audit')
    await button('Show balances').click()
    const to = page.getByLabel('Time or position')
    expect(await to.evaluate((field) => field.matches(':focus:invalid'))).toBe(true)
    expect(asked).toEqual([])
    await to.fill('2026-11-01')
    await button('Show balances').click()
    await page.getByText('At position 1,234, from 1,235 events.').waitFor()
    expect(asked).toEqual([{ to: '2026-11-01T00:00:00Z', statement: false }])
    expect(await card('Balances as they were').locator('tfoot').textContent()).toContain('$0.0123')
  })

  test('compares live views with the log, and sees the row that differs', async () => {
    const key = { key_id: 'key_1' }
    const views = [{ name: 'usage', events: 1_235, differences: 1 }]
    const row = { view: 'usage', table: 'keys', key, live: null, replayed: { n: 1 } }
    answer({
      compareViews: () => [progress, { type: 'result', same: false, views, first: [row] }],
    })
    await open('/audit')
    await button('Compare now').click()
    await page.getByText('Live views differ from the log.').waitFor()
    await page.getByText('usage.keys {"key_id":"key_1"}: live null, replayed {"n":1}').waitFor()
  })

  test('verifies the log, and sees what nobody can read: UX-54', async () => {
    const place = { stream: 'account-acct_1', revision: 7 }
    answer({
      verify: () => [
        { type: 'progress', events: 10, position: '9', head: '19', passed_over: 0, rate: 1_000 },
        {
          ...soundLog,
          unreadable: [{ ...place, cause: 'event Foreign: it is none of ours' }],
          texts: { ...soundLog.texts, unfinished: [place] },
        },
      ],
    })
    await open('/audit')
    await button('Verify now').click()
    await page.getByText('The log was altered.').waitFor()
    const found = await card('Verification').locator('li').allTextContents()
    expect(found).toEqual([
      'Nobody can read it: account-acct_1 #7, event Foreign: it is none of ours',
      'An erasure left texts behind: account-acct_1 #7. Erase them again.',
    ])
  })

  test('sees who had the log verified last, and what came out: UX-54', async () => {
    await open('/audit')
    await card('Verification').getByText('Last verified by Ada Lovelace,').waitFor()
    await card('Verification').getByText('Every chain holds: 182,441 events of 5').waitFor()
    expect(await violations(page)).toEqual([])
    const { verification } = fullAdminAnswers.lastVerification()
    const bad = { ok: false, from: '9', verified_by: 'operator:HOSTILE', anchor: 'cut' } as const
    const found = { ...nothingFound, broken: 2 }
    answer({ lastVerification: () => ({ verification: { ...verification, ...bad, found } }) })
    await page.reload()
    await page.getByText('Last verified by operator:HOSTILE,').waitFor()
    await page.getByText('Only what lies behind position 9 was read.').waitFor()
    expect(await card('Verification').locator('li').allTextContents()).toEqual([
      'Chains that do not hold: 2',
      'The log ends before the head that was given.',
    ])
    answer({ lastVerification: () => ({ verification: null }) })
    await page.reload()
    await page.getByText('Nobody has verified this log on a running server yet.').waitFor()
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

  test('lists accounts in an order of the server, page by page, with sums of all: UX-51', async () => {
    const [account] = fullAdminAnswers.listAccounts()
    if (account === undefined) throw new Error('there is no account')
    answer({
      listAccounts: (input) => {
        asked.push(input)
        const id = (number: number) => `acct_${input.after === undefined ? number : number + 50}`
        const count = input.after === undefined ? 50 : 3
        return Array.from({ length: count }, (_, number) => {
          return { ...account, account_id: id(number), name: id(number) }
        })
      },
    })
    await open('/accounts?order=spent&status=open')
    await page.locator('tr[data-row]').first().getByText('$8.7901687').waitFor()
    await page.locator('tfoot').getByText('Accounts: 3').waitFor()
    await button('Load more').click()
    await page.getByRole('link', { name: 'acct_52' }).waitFor()
    expect(await page.locator('tr[data-row]').count()).toBe(53)
    const first = { limit: '50', order: 'spent', status: 'open' }
    expect(asked).toEqual([first, { ...first, after: 'acct_49' }])
  })

  test('finds accounts by the server, which looks at a part of them at once', async () => {
    const { accounts } = fullAdminAnswers.searchAccounts()
    answer({
      searchAccounts: (input) => {
        asked.push(input)
        return input.cursor === undefined
          ? { accounts: [], next_cursor: 'c1.next' }
          : { accounts, next_cursor: null }
      },
    })
    await open('/accounts?order=held')
    await page.locator('tfoot').waitFor()
    await page.getByLabel('Find by name').pressSequentially('engine')
    await page.locator('tfoot').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Analytical Engines' }).waitFor()
    // The link can be the list's, from before the search: what was asked for tells the two apart.
    // Letters that come slower than the pause are searched for one by one.
    await expect
      .poll(() => asked.slice(-2))
      .toEqual([
        { text: 'engine', limit: '50' },
        { text: 'engine', limit: '50', cursor: 'c1.next' },
      ])
    expect(new URL(page.url()).searchParams.get('find')).toBe('engine')
    answer({ searchAccounts: () => ({ accounts: [], next_cursor: null }) })
    await page.getByLabel('Find by name').fill('nobody')
    await button('Clear filters').click()
    await page.locator('tfoot').waitFor()
    expect(await page.getByLabel('Find by name').inputValue()).toBe('')
  })
  test('is led from the id of a grant to its row: UX-31', async () => {
    const [account] = fullAdminAnswers.listAccounts()
    const shown = fullAdminAnswers.showAccount()
    const [grant] = shown.grants
    if (account === undefined || grant === undefined) throw new Error('no grant in the sample')
    const ids = Array.from({ length: 200 }, (_, index) => `grant_${index}`)
    answer({
      searchAccounts: (input) => {
        asked.push(input)
        return { accounts: [account], next_cursor: null }
      },
      showAccount: () => ({ ...shown, grants: ids.map((id) => ({ ...grant, grant_id: id })) }),
    })
    await open('/prices')
    await page.getByRole('searchbox').fill('grant_77')
    await page.keyboard.press('Enter')
    const row = page.locator('tr[data-row]:focus')
    await row.getByText('grant_77', { exact: true }).waitFor()
    expect(asked).toEqual([{ text: 'grant_77', limit: '2' }])
    const { y } = (await row.boundingBox()) ?? expect.fail('it is not drawn')
    expect(y).toBeGreaterThan(0)
    expect(y).toBeLessThan(page.viewportSize()?.height ?? 0)
  })
})
