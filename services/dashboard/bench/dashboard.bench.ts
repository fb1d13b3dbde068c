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
 *     NAME_first_ms              the first turn: nothing of it is in memory yet
 *     NAME_asked_ms,             the medians of when the server was asked and had answered, in
 *     NAME_answered_ms           milliseconds from the click: the rest is the page's
 *     PAGE_lcp_ms                the largest contentful paint of a page, the median
 *     ready_s                    from the start of the server until its views hold all
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { openChromium } from '@svc/testing/chromium'
import { readOptions } from '@svc/testing/read-options'
import { ServerProcess } from '@svc/testing/server-process'
import type { Page } from 'playwright-core'
import { DAY_MS, DAYS, type Filled, filledFolder } from './filled-folder.ts'
import {
  drawn,
  firstRow,
  type Interaction,
  press,
  rows,
  setField,
  submit,
  timesOf,
} from './interactions.ts'

const LCP_TURNS = 9
/** Cost, tokens, savings, latency: the last one is there behind all questions. */
const CHARTS = 4
const CAUGHT_UP_MS = 1_800_000
const EMAIL = 'bench@example.com'
const PASSWORD = 'correct horse battery staple'
const VIEWPORT = { width: 1280, height: 860 }

const values = readOptions({
  requests: { type: 'string', default: '1000000' },
  accounts: { type: 'string', default: '10000' },
  turns: { type: 'string', default: '40' },
  keep: { type: 'string' },
  json: { type: 'boolean', default: false },
})
const amounts = { requests: Number(values.requests), accounts: Number(values.accounts) }
const turns = Math.min(DAYS, Number(values.turns))
const figures: Record<string, number | string> = {
  machine: `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores`,
  ...amounts,
  turns,
}

async function measure(baseUrl: string, filled: Filled, startedAt: number): Promise<void> {
  const browser = await openChromium()
  try {
    const page = await browser.newPage({ viewport: VIEWPORT, timezoneId: 'UTC' })
    page.setDefaultTimeout(CAUGHT_UP_MS)
    const { large, isEntered, startMs } = filled
    const dayOf: DayOf = (turn) => new Date(startMs + turn * DAY_MS).toISOString().slice(0, 10)
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
    await onRequests(page, account, dayOf)
    await onStatement(page, account, dayOf)
    await onUsage(page, account, dayOf)
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

/** The day of a turn, such as `2026-11-01`. */
type DayOf = (turn: number) => string

/** Whether the first row is of a day. */
const isOfDay = (day: string) =>
  `document.querySelector('tr[data-row] time')?.dateTime.startsWith('${day}')`

async function onRequests(page: Page, account: string, dayOf: DayOf): Promise<void> {
  await opened(page, `${account}/requests`)
  await measured(page, {
    name: 'requests_day',
    act: (turn) => setField('To', dayOf(turn)),
    until: (turn) => isOfDay(dayOf(turn)),
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

async function onStatement(page: Page, account: string, dayOf: DayOf): Promise<void> {
  await opened(page, `${account}/statement`)
  await measured(page, {
    name: 'statement_day',
    // The page opens with the first day: it comes last.
    act: (turn) => setField('From', dayOf(DAYS - 1 - turn)),
    until: (turn) => isOfDay(dayOf(DAYS - 1 - turn)),
  })
  await measured(page, {
    name: 'statement_more',
    act: () => press('Load more'),
    until: () => `${rows} > before.rows`,
  })
}

async function onUsage(page: Page, account: string, dayOf: DayOf): Promise<void> {
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
    until: () =>
      `[...document.querySelectorAll('main table th')].some((e) => e.textContent === 'Key')`,
  })
}

async function onAccounts(page: Page, address: string): Promise<void> {
  const find = 'Find by name, id or external id'
  await opened(page, address)
  await measured(page, {
    name: 'accounts_find',
    // Spread over all of them: the last ones are found behind all others.
    act: (turn) => {
      const number = Math.floor(((turn + 1) / DAYS) * amounts.accounts) - 1
      // The field has to have what was typed before Enter is pressed.
      return `${setField(find, `customer ${number} l`)}; setTimeout(() => ${submit(find)})`
    },
    until: (turn) => {
      const number = Math.floor(((turn + 1) / DAYS) * amounts.accounts) - 1
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

async function measured(page: Page, interaction: Interaction): Promise<void> {
  const { name } = interaction
  const times = await timesOf(page, turns, interaction)
  const painted = times.map((each) => each.painted)
  const median = (some: readonly (number | null)[]) =>
    Math.round(
      at(
        some.filter((each) => each !== null),
        0.5,
      ),
    )
  const told = {
    p50: median(painted),
    p95: Math.round(at(painted, 0.95)),
    first: Math.round(painted[0] ?? 0),
    asked: median(times.map((each) => each.asked)),
    answered: median(times.map((each) => each.answered)),
  }
  for (const [what, ms] of Object.entries(told)) figures[`${name}_${what}_ms`] = ms
  const { p50, p95, first, asked, answered } = told
  const medians = `median ${p50} ms (asked ${asked}, answered ${answered})`
  say(`${name}: ${medians}, p95 ${p95} ms, first ${first} ms`)
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

const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'svc-bench-dashboard-'))
try {
  const dataDir = join(folder, 'data')
  const filled = await filledFolder(dataDir, amounts, say)
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
