/**
 * How long the pages take in a real Chromium, on an account with very many requests and beside very
 * many accounts.
 *
 *     npm run bench:dashboard -- [--requests 1000000] [--accounts 10000] [--turns 40] [--json]
 *
 * Fills the log of a stopped server, starts it, lets an owner in, and has a browser do what people
 * do. Each time is taken inside the page, from the click until what was asked for stands there:
 *
 *     NAME_p50_ms, NAME_p95_ms   requests: filter, next page, receipt; statement: open, next page;
 *                                usage: by hour, by key; accounts: find, order, more rows
 *     home_lcp_ms                the largest contentful paint of the first page, the median
 *     ready_s                    from the start of the server until its views hold all
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { wireFormats } from '@svc/contracts/events/account'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { ServerProcess } from '@svc/testing/server-process'
import type { Page } from 'playwright-core'
import { openChromium } from '../testing/chromium.ts'

const DAYS = 20
const PERIOD_MS = DAYS * 24 * 3_600_000
const KEYS = 5
const REQUESTS_PER_WRITE = 150
const LCP_TURNS = 9
const CAUGHT_UP_MS = 1_800_000
const PASSWORD = 'correct horse battery staple'
const VIEWPORT = { width: 1280, height: 860 }

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    accounts: { type: 'string', default: '10000' },
    turns: { type: 'string', default: '40' },
    json: { type: 'boolean', default: false },
  },
})
const requests = Number(values.requests)
const accounts = Number(values.accounts)
const turns = Number(values.turns)
const figures: Record<string, number | string> = {
  machine: `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores`,
  ...{ requests, accounts, turns },
}

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-dashboard-'))
try {
  const dataDir = join(folder, 'data')
  // It makes what a folder needs beside the log.
  const first = new ServerProcess(dataDir)
  await first.ready()
  await first.stop()
  const large = await fill(dataDir)
  const startedAt = performance.now()
  const server = new ServerProcess(dataDir)
  try {
    const { ownerLink = '' } = await server.ready()
    await measure(ownerLink, large, startedAt)
  } finally {
    await server.stop()
  }
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`)
} finally {
  rmSync(folder, { recursive: true })
}

/** @returns the id of the account with the many requests */
async function fill(dataDir: string): Promise<string> {
  const store = openSqliteEventStore(join(dataDir, 'ledger.db'), {
    onFatal: (error) => {
      throw error
    },
  })
  for (let i = 0; i < accounts; i += 1) {
    await new AccountHistory(`account ${i}`).open(START_MS + i).writeTo(store)
  }
  say(`${accounts} accounts in the log`)
  const large = new AccountHistory('large').open(START_MS, 10n ** 18n)
  const keys = [large.keyId, ...Array.from({ length: KEYS - 1 }, (_, i) => large.key(`${i}`))]
  for (let i = 0; i < requests; i += 1) {
    const at = START_MS + Math.floor((i / requests) * PERIOD_MS)
    const id = requestId(at, large.accountId, `${i}`)
    const format = wireFormats[i % wireFormats.length] ?? 'chat'
    large.accept(id, at, { keyId: keys[i % KEYS] ?? large.keyId, format }).settle(id, at)
    if (i % REQUESTS_PER_WRITE === 0) await large.writeTo(store)
  }
  await large.writeTo(store)
  await store.close()
  say(`${requests} requests in the log`)
  return large.accountId
}

async function measure(ownerLink: string, large: string, startedAt: number): Promise<void> {
  const browser = await openChromium()
  try {
    const page = await browser.newPage({ viewport: VIEWPORT })
    page.setDefaultTimeout(CAUGHT_UP_MS)
    const origin = new URL(ownerLink).origin
    await acceptLink(page, ownerLink)
    await intoAccount(page, large)
    await untilCaughtUp(page)
    figures['ready_s'] = round((performance.now() - startedAt) / 1_000)
    say(`ready after ${figures['ready_s']} s`)
    const account = `${origin}/dashboard/accounts/${large}`
    // The first look at an account with a long past reads all of it.
    await page.goto(account)
    await page.getByText('Newest requests').waitFor()
    await paint(page, account)
    await onRequests(page, account)
    await onStatement(page, account)
    await onUsage(page, account)
    await onAccounts(page, `${origin}/dashboard/operator/accounts`)
  } finally {
    await browser.close()
  }
}

async function acceptLink(page: Page, ownerLink: string): Promise<void> {
  await page.goto(ownerLink)
  await page.getByLabel('E-mail address').fill('bench@example.com')
  await page.getByLabel('Your name').fill('Bench')
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
}

/** What the owner may do over the API of the pages: be in the account that is measured. */
async function intoAccount(page: Page, account: string): Promise<void> {
  await page.evaluate(`(async () => {
    const { user } = await (await fetch('/dashboard/api/session')).json()
    const answer = await fetch('/dashboard/api/admin/users/' + user.user_id + '/accounts/${account}', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-svc-dashboard': '1' },
      body: JSON.stringify({ account_role: 'owner' }),
    })
    if (!answer.ok) throw new Error(await answer.text())
  })()`)
}

/** Until every view is at the end of the log. */
async function untilCaughtUp(page: Page): Promise<void> {
  const isBehind = `fetch('/dashboard/api/admin/status').then((answer) => answer.json()).then(
    ({ projections }) => projections.some(({ state, position, head }) =>
      state !== 'live' || BigInt(position) < BigInt(head)))`
  while (await page.evaluate<boolean>(isBehind)) await page.waitForTimeout(500)
}

async function paint(page: Page, address: string): Promise<void> {
  const times: number[] = []
  for (let turn = 0; turn < LCP_TURNS; turn += 1) {
    await page.goto(address)
    await page.getByText('Newest requests').waitFor()
    await page.locator('tr[data-row]').first().waitFor()
    const paints = `new Promise((done) => new PerformanceObserver((list) =>
      done(list.getEntries().at(-1).startTime),
    ).observe({ type: 'largest-contentful-paint', buffered: true }))`
    times.push(await page.evaluate<number>(paints))
  }
  figures['home_lcp_ms'] = Math.round(at(times, 0.5))
  say(`home: largest contentful paint ${figures['home_lcp_ms']} ms`)
}

/** Expressions that run in the page: what is done, and what then stands there. */
interface Interaction {
  readonly name: string
  /** @param turn another one each time, so that nothing is answered from before */
  readonly act: (turn: number) => string
  readonly until: (turn: number) => string
}

const rows = `document.querySelectorAll('tr[data-row]').length`
const setField = (label: string, value: string) => `(() => {
  const label = [...document.querySelectorAll('label')].find((e) => e.textContent === '${label}')
  const field = document.getElementById(label.htmlFor)
  const type = field instanceof HTMLSelectElement ? HTMLSelectElement : HTMLInputElement
  Object.getOwnPropertyDescriptor(type.prototype, 'value').set.call(field, '${value}')
  field.dispatchEvent(new Event(type === HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
})()`
const press = (text: string) =>
  `[...document.querySelectorAll('button')].find((e) => e.textContent === '${text}').click()`
const newAnswer = 'window.answers > before.answers && window.open_ === 0'

async function onRequests(page: Page, account: string): Promise<void> {
  await page.goto(`${account}/requests`)
  await page.locator('tr[data-row]').first().waitFor()
  await measured(page, {
    name: 'requests_filter',
    act: (turn) => setField('Format', ['', ...wireFormats][turn % (wireFormats.length + 1)] ?? ''),
    until: () => newAnswer,
  })
  await measured(page, {
    name: 'requests_more',
    act: () => press('Load more'),
    until: () => `${rows} > before.rows`,
  })
  await page.goto(`${account}/requests`)
  await page.locator('tr[data-row]').first().waitFor()
  await measured(page, {
    name: 'receipt',
    act: (turn) => `(document.querySelector('dialog button')?.click(),
      document.querySelectorAll('tr[data-row] a')[${turn} % 50].click())`,
    until: () => `${newAnswer} && document.querySelector('dialog table') !== null`,
  })
}

async function onStatement(page: Page, account: string): Promise<void> {
  await page.goto(`${account}/statement`)
  await page.locator('tr[data-row]').first().waitFor()
  await measured(page, {
    name: 'statement_period',
    act: (turn) => setField('From', `2026-11-${String((turn % DAYS) + 1).padStart(2, '0')}`),
    until: () => newAnswer,
  })
  await measured(page, {
    name: 'statement_more',
    act: () => press('Load more'),
    until: () => `${rows} > before.rows`,
  })
}

async function onUsage(page: Page, account: string): Promise<void> {
  await page.goto(`${account}/usage`)
  await page.locator('figure svg rect').first().waitFor()
  await measured(page, {
    name: 'usage_steps',
    act: (turn) => setField('By', turn % 2 === 0 ? 'hour' : 'day'),
    until: () => `window.open_ === 0 && document.querySelector('figure svg rect') !== null`,
  })
  await measured(page, {
    name: 'usage_group',
    act: (turn) => setField('Group by', ['key', 'model', 'format'][turn % 3] ?? 'key'),
    until: () => `window.open_ === 0 && document.querySelector('main table') !== null`,
  })
}

async function onAccounts(page: Page, address: string): Promise<void> {
  const before = performance.now()
  await page.goto(address)
  await page.locator('tr[data-row]').first().waitFor()
  figures['accounts_open_ms'] = Math.round(performance.now() - before)
  await measured(page, {
    name: 'accounts_find',
    act: (turn) => setField('Find by name, id or external id', 'acct_01'.slice(0, 1 + (turn % 6))),
    until: () => `${rows} > 0`,
  })
  await measured(page, {
    name: 'accounts_order',
    act: (turn) => setField('Order', ['newest', 'available', 'name', 'spent'][turn % 4] ?? 'name'),
    until: () => `${rows} > 0`,
  })
  await measured(page, {
    name: 'accounts_more',
    act: () => press('Load more'),
    until: () => `${rows} > before.rows`,
  })
}

async function measured(page: Page, { name, act, until }: Interaction): Promise<void> {
  await page.evaluate(watchRequests)
  const times: number[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    times.push(await page.evaluate<number>(timeOf(act(turn), until(turn))))
  }
  figures[`${name}_p50_ms`] = Math.round(at(times, 0.5))
  figures[`${name}_p95_ms`] = Math.round(at(times, 0.95))
  say(`${name}: median ${figures[`${name}_p50_ms`]} ms, p95 ${figures[`${name}_p95_ms`]} ms`)
}

/** Counts what the page asks of the server: an interaction ends when it has been answered. */
const watchRequests = `(() => {
  if (window.open_ !== undefined) return
  window.open_ = 0
  window.answers = 0
  const own = window.fetch
  window.fetch = async (...given) => {
    window.open_ += 1
    try {
      const answer = await own(...given)
      const text = await answer.clone().text()
      void text
      return answer
    } finally {
      window.open_ -= 1
      window.answers += 1
    }
  }
})()`

/** Until the frame after the one in which it stands there has begun: then it is painted. */
function timeOf(act: string, until: string): string {
  return `new Promise((done) => {
    const before = { answers: window.answers, rows: ${rows} }
    const from = performance.now()
    ${act}
    const look = () => {
      if (!(${until})) return requestAnimationFrame(look)
      requestAnimationFrame(() => done(performance.now() - from))
    }
    requestAnimationFrame(look)
  })`
}

function at(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
