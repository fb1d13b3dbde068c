/**
 * How long the pages take in a real Chromium, on an account with very many requests and beside very
 * many accounts.
 *
 *     npm run bench:dashboard -- [--requests 1000000] [--accounts 10000] [--turns 40]
 *                                [--keep FOLDER] [--json]
 *
 * With `--keep` the log is filled, and the views of it are built, once: what is in the folder is
 * measured again the next time.
 *
 * Fills the log of a stopped server, starts it, lets an owner in, and has a browser do what people
 * do. Each time is taken inside the page, from the click until what was asked for stands there and
 * is painted; each turn asks for something that was not asked for before:
 *
 *     NAME_p50_ms, NAME_p95_ms   requests: a day, next page, receipt; statement: a day, next page;
 *                                usage: by hour, by key; accounts: search, order, status, next page
 *     PAGE_lcp_ms                the largest contentful paint of a page, the median
 *     ready_s                    from the start of the server until its views hold all
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { wireFormats } from '@svc/contracts/events/account'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { openSqliteTextStore } from '@svc/infra/text-store/sqlite/sqlite-text-store'
import { AccountHistory, requestId } from '@svc/testing/account-history'
import { ServerProcess } from '@svc/testing/server-process'
import type { Page } from 'playwright-core'
import { openChromium } from '../testing/chromium.ts'

const DAY_MS = 24 * 3_600_000
/** One for each turn: what was asked for once is not asked of the server again. */
const DAYS = 40
const START_MS = (Math.floor(Date.now() / DAY_MS) - DAYS) * DAY_MS
const KEYS = 5
const REQUESTS_PER_WRITE = 150
const LCP_TURNS = 9
/** Cost, tokens, savings, latency: the last one is there behind all questions. */
const CHARTS = 4
const CAUGHT_UP_MS = 1_800_000
/** Something that does not come at all ends the benchmark, and says what did not. */
const TURN_MAX_MS = 30_000
const EMAIL = 'bench@example.com'
const PASSWORD = 'correct horse battery staple'
const VIEWPORT = { width: 1280, height: 860 }

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    accounts: { type: 'string', default: '10000' },
    turns: { type: 'string', default: '40' },
    keep: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const requests = Number(values.requests)
const accounts = Number(values.accounts)
const turns = Math.min(DAYS, Number(values.turns))
const figures: Record<string, number | string> = {
  machine: `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores`,
  ...{ requests, accounts, turns },
}

/** @returns the id of the account with the many requests */
async function fill(dataDir: string): Promise<string> {
  const onFatal = (error: unknown) => {
    throw error
  }
  const store = openSqliteEventStore(join(dataDir, 'ledger.db'), { onFatal })
  const texts = openSqliteTextStore(join(dataDir, 'texts.db'), { onFatal })
  for (let i = 0; i < accounts; i += 1) {
    const account = new AccountHistory(`account ${i}`)
    const name = await texts.keep(account.accountId, `Customer ${i} Ltd`)
    // Each has spent something lately: who did not would be left out early.
    const at = START_MS + (DAYS - 1) * DAY_MS + i
    const id = requestId(at, account.accountId)
    const amount = BigInt(i + 1) * 10n ** 12n
    account
      .open(START_MS + i, amount, name)
      .accept(id, at)
      .settle(id, at)
    await account.writeTo(store)
  }
  await texts.close()
  say(`${accounts} accounts in the log`)
  const large = new AccountHistory('large').open(START_MS, 10n ** 18n)
  const keys = [large.keyId, ...Array.from({ length: KEYS - 1 }, (_, i) => large.key(`${i}`))]
  for (let i = 0; i < requests; i += 1) {
    const at = START_MS + Math.floor((i / requests) * DAYS * DAY_MS)
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

interface Filled {
  /** Works until somebody has used it. */
  readonly ownerLink: string
  readonly isEntered: boolean
  readonly large: string
}

async function measure(baseUrl: string, filled: Filled, startedAt: number): Promise<void> {
  const browser = await openChromium()
  try {
    const page = await browser.newPage({ viewport: VIEWPORT, timezoneId: 'UTC' })
    page.setDefaultTimeout(CAUGHT_UP_MS)
    const { large, isEntered } = filled
    const origin = new URL(baseUrl).origin
    await enter(page, origin, filled)
    if (!isEntered) await intoAccount(page, large)
    await untilCaughtUp(page)
    figures.ready_s = round((performance.now() - startedAt) / 1_000)
    say(`ready after ${figures.ready_s} s`)
    const account = `${origin}/dashboard/accounts/${large}`
    // The first look at an account with a long past reads all of it.
    await page.goto(account)
    await page.getByText('Newest requests').waitFor()
    await paint(page, 'home', account)
    await paint(page, 'statement', `${account}/statement`)
    await paint(page, 'accounts', `${origin}/dashboard/operator/accounts`)
    await onRequests(page, account)
    await onStatement(page, account)
    await onUsage(page, account)
    await onAccounts(page, `${origin}/dashboard/operator/accounts`)
  } finally {
    await browser.close()
  }
}

async function enter(page: Page, origin: string, { ownerLink, isEntered }: Filled): Promise<void> {
  await page.goto(new URL(isEntered ? '/dashboard/sign-in' : ownerLink, origin).href)
  await page.getByLabel('E-mail address').fill(EMAIL)
  if (isEntered) {
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  } else {
    await page.getByLabel('Your name').fill('Bench')
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Accept' }).click()
  }
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

async function paint(page: Page, name: string, address: string): Promise<void> {
  const times: number[] = []
  for (let turn = 0; turn < LCP_TURNS; turn += 1) {
    await page.goto(address)
    await page.locator('tr[data-row]').first().waitFor()
    const paints = `new Promise((done) => new PerformanceObserver((list) =>
      done(list.getEntries().at(-1).startTime),
    ).observe({ type: 'largest-contentful-paint', buffered: true }))`
    times.push(await page.evaluate<number>(paints))
  }
  figures[`${name}_lcp_ms`] = Math.round(at(times, 0.5))
  say(`${name}: largest contentful paint ${figures[`${name}_lcp_ms`]} ms`)
}

/** Expressions that run in the page: what is done, and what then stands there. */
interface Interaction {
  readonly name: string
  /** Before the time is taken. */
  readonly prepare?: (turn: number) => Promise<unknown>
  readonly act: (turn: number) => string
  readonly until: (turn: number) => string
}

const rows = `document.querySelectorAll('tr[data-row]').length`
/** Grows with the steps of time that are drawn. */
const drawn = `[...(document.querySelector('figure')?.querySelectorAll('svg path') ?? [])]
  .reduce((length, path) => length + path.getAttribute('d').length, 0)`
const firstRow = `(document.querySelector('tr[data-row]')?.textContent ?? '')`
const setField = (label: string, value: string) => `(() => {
  const label = [...document.querySelectorAll('label')].find((e) => e.textContent === '${label}')
  const field = document.getElementById(label.htmlFor)
  const type = field instanceof HTMLSelectElement ? HTMLSelectElement : HTMLInputElement
  Object.getOwnPropertyDescriptor(type.prototype, 'value').set.call(field, '${value}')
  field.dispatchEvent(new Event(type === HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
})()`
const submit = (label: string) => `(() => {
  const label = [...document.querySelectorAll('label')].find((e) => e.textContent === '${label}')
  document.getElementById(label.htmlFor).form.requestSubmit()
})()`
const press = (text: string) =>
  `[...document.querySelectorAll('button')].find((e) => e.textContent === '${text}').click()`
const dayOf = (turn: number) => new Date(START_MS + turn * DAY_MS).toISOString().slice(0, 10)
/** Whether the first row is of the day of a turn. */
const isOfDay = (turn: number) =>
  `document.querySelector('tr[data-row] time')?.dateTime.startsWith('${dayOf(turn)}')`

async function onRequests(page: Page, account: string): Promise<void> {
  await opened(page, `${account}/requests`)
  await measured(page, {
    name: 'requests_day',
    act: (turn) => setField('To', dayOf(turn)),
    until: isOfDay,
  })
  await measured(page, {
    name: 'requests_more',
    act: () => press('Load more'),
    until: () => `${rows} > before.rows`,
  })
  await opened(page, `${account}/requests`)
  await measured(page, {
    name: 'receipt',
    prepare: async () => {
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    },
    act: (turn) => `document.querySelectorAll('tr[data-row] a')[${turn}].click()`,
    until: () => `document.querySelector('dialog table') !== null`,
  })
}

async function onStatement(page: Page, account: string): Promise<void> {
  await opened(page, `${account}/statement`)
  await measured(page, {
    name: 'statement_day',
    act: (turn) => setField('From', dayOf(turn)),
    // The first day begins with the credit, before all requests.
    until: isOfDay,
  })
  await measured(page, {
    name: 'statement_more',
    act: () => press('Load more'),
    until: () => `${rows} > before.rows`,
  })
}

async function onUsage(page: Page, account: string): Promise<void> {
  /** The charts of a period that was not looked at before, by day. */
  const fresh = (turn: number, more: string) => async () => {
    await page.goto(`${account}/usage?from=${dayOf(turn)}&to=${dayOf(DAYS - 1)}${more}`)
    await page
      .locator('figure')
      .nth(CHARTS - 1)
      .waitFor()
  }
  await measured(page, {
    name: 'usage_steps',
    prepare: (turn) => fresh(turn, '')(),
    act: () => setField('By', 'hour'),
    until: () => `${drawn} > before.drawn`,
  })
  await measured(page, {
    name: 'usage_group',
    prepare: (turn) => fresh(turn, '&by=day')(),
    act: () => setField('Group by', 'key'),
    until: () => `document.querySelector('main table tbody tr') !== null`,
  })
}

async function onAccounts(page: Page, address: string): Promise<void> {
  const find = 'Find by name, id or external id'
  await opened(page, address)
  await measured(page, {
    name: 'accounts_find',
    // Spread over all of them: the last ones are found behind all others.
    act: (turn) => {
      const number = Math.floor(((turn + 1) / DAYS) * accounts) - 1
      // The field has to have what was typed before Enter is pressed.
      return `${setField(find, `customer ${number} l`)}; setTimeout(() => ${submit(find)})`
    },
    until: (turn) => {
      const number = Math.floor(((turn + 1) / DAYS) * accounts) - 1
      return `${rows} === 1 && ${firstRow}.includes('Customer ${number} Ltd')`
    },
  })
  for (const order of ['available', 'spent']) {
    await measured(page, {
      name: `accounts_by_${order}`,
      prepare: () => opened(page, address),
      act: () => setField('Order', order),
      until: () => `${firstRow} !== before.firstRow`,
    })
  }
  await opened(page, address)
  await measured(page, {
    name: 'accounts_more',
    act: () => press('Load more'),
    until: () => `${rows} > before.rows`,
  })
}

async function opened(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.locator('tr[data-row]').first().waitFor()
}

async function measured(page: Page, { name, prepare, act, until }: Interaction): Promise<void> {
  const times: number[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    await prepare?.(turn)
    times.push(await page.evaluate<number>(timeOf(act(turn), until(turn))))
  }
  figures[`${name}_p50_ms`] = Math.round(at(times, 0.5))
  figures[`${name}_p95_ms`] = Math.round(at(times, 0.95))
  say(`${name}: median ${figures[`${name}_p50_ms`]} ms, p95 ${figures[`${name}_p95_ms`]} ms`)
}

/** Until the frame after the one in which it stands there has begun: then it is painted. */
function timeOf(act: string, until: string): string {
  return `new Promise((done, fail) => {
    const before = { rows: ${rows}, drawn: ${drawn}, firstRow: ${firstRow} }
    const from = performance.now();
    ${act};
    const look = () => {
      if (performance.now() - from > ${TURN_MAX_MS}) return fail(new Error('it does not come'))
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

async function filledFolder(dataDir: string): Promise<Filled> {
  const told = join(dataDir, 'bench.json')
  if (existsSync(told)) return JSON.parse(readFileSync(told, 'utf8'))
  // It makes what a folder needs beside the log.
  const first = new ServerProcess(dataDir)
  const { pathname, hash } = new URL((await first.ready()).ownerLink ?? '')
  await first.stop()
  const filled = { ownerLink: pathname + hash, large: await fill(dataDir), isEntered: false }
  writeFileSync(told, JSON.stringify({ ...filled, isEntered: true }))
  return filled
}

const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'svc-bench-dashboard-'))
try {
  const dataDir = join(folder, 'data')
  const filled = await filledFolder(dataDir)
  const startedAt = performance.now()
  const server = new ServerProcess(dataDir)
  try {
    const { baseUrl } = await server.ready()
    await measure(baseUrl, filled, startedAt)
  } finally {
    await server.stop()
  }
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`)
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true })
}
