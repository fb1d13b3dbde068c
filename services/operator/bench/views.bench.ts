/**
 * How long the questions about money take, on an account with very many requests and on one with
 * few.
 *
 *     node services/operator/bench/views.bench.ts [--requests 1000000] [--few 10000] [--json]
 *
 * Fills a SQLite log with requests of five keys in three formats over 30 days, builds the views.
 * Each question is asked as the operations carry it out, of views at the end of the log:
 *
 *     NAME_few_p99_ms, NAME_p99_ms    a page of 100 at a random place: of the statement, of usage
 *                                     by day and key over 30 days, of requests by key and status
 *     NAME_ratio                      the second median by the first
 *     month_seconds                   all customers of the month
 *     build_events_per_s              all views from nothing in one pass
 *     reconcile_s_per_million         the five equations over the whole log, per million events
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { rootCaller } from '@svc/contracts/admin/caller'
import type { Operations } from '@svc/contracts/admin/operations'
import { wireFormats } from '@svc/contracts/events/account'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { SharedPace } from '@svc/infra/system/shared-pace'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import { openProjections } from '@svc/projections/open-projections'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { adminTokensOn, auditTrailOn, usersOn } from '@svc/testing/admin-access'
import { evidenceOn } from '@svc/testing/evidence-sources'
import { openRunningLedger } from '@svc/testing/ledger/running-ledger'
import { readOptions } from '@svc/testing/read-options'
import { createLocalOperations } from '../src/operations/local-operations.ts'

const DAYS = 30
const PERIOD_MS = DAYS * 24 * 3_600_000
const KEYS = 5
const REQUESTS_PER_WRITE = 150
const QUESTIONS = 300
const PAGE = 100
const LIMIT_MS = 3_600_000
const EVENTS_PER_REQUEST = 3
const quiet = {
  info: () => {},
  warn: () => {},
  error: ({ reason = '' }: { readonly reason?: string }, message: string) =>
    say(`${message}: ${reason}`),
}

const values = readOptions({
  requests: { type: 'string', default: '1000000' },
  few: { type: 'string', default: '10000' },
  json: { type: 'boolean', default: false },
})

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-views-'))
const information = {
  version: 'bench',
  mode: 'running',
  baseUrl: null,
  dataDir: folder,
  storeKind: 'sqlite',
} as const
try {
  const figures = await measure(Number(values.few), Number(values.requests))
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`)
} finally {
  rmSync(folder, { recursive: true })
}

async function measure(few: number, many: number): Promise<Record<string, number | string>> {
  const store = openSqliteEventStore(join(folder, 'ledger.db'), { onFatal: fatal })
  const small = new AccountHistory('small')
  const large = new AccountHistory('large')
  await fill(store, small, few)
  await fill(store, large, many)
  const pace = new SharedPace()
  const views = await openProjections({
    folder: join(folder, 'views'),
    store,
    pace,
    timer: systemTimer,
    log: quiet,
    keepFile: durableFile,
  })
  const startedAt = performance.now()
  views.start()
  await views.reached(await store.lastPosition(), LIMIT_MS)
  const seconds = (performance.now() - startedAt) / 1000
  const { ledger, texts } = await openRunningLedger(store)
  const operations = createLocalOperations(
    {
      ledger,
      projections: views,
      store,
      texts,
      pace,
      clock: systemClock,
      adminTokens: adminTokensOn(store),
      auditTrail: auditTrailOn(store),
      evidence: evidenceOn(store, views.views, views.reached),
      ...usersOn(store, folder),
      refusedRequests: { find: () => undefined },
      information,
    },
    rootCaller,
  )
  const figures: Record<string, number | string> = {
    machine: `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores`,
    requests: many,
    few_requests: few,
    build_events_per_s: Math.round(((few + many) * EVENTS_PER_REQUEST) / seconds),
  }
  say(`all views: ${figures.build_events_per_s} events/s`)
  for (const [name, ask] of Object.entries(questions(operations))) {
    const [ofSmall, ofLarge] = await timesOf(
      (turn) => ask(small, few, turn),
      (turn) => ask(large, many, turn),
    )
    figures[`${name}_few_p99_ms`] = round(at(ofSmall, 0.99))
    figures[`${name}_p99_ms`] = round(at(ofLarge, 0.99))
    figures[`${name}_ratio`] = round(at(ofLarge, 0.5) / at(ofSmall, 0.5))
    say(`${name}: p99 ${figures[`${name}_p99_ms`]} ms, ${figures[`${name}_ratio`]} times of few`)
  }
  const before = performance.now()
  const { totals } = await operations.month({ month: '2026-11' })
  figures.month_seconds = round((performance.now() - before) / 1000)
  say(`month: ${figures.month_seconds} s, ${totals.used} used`)
  const reconciling = performance.now()
  for await (const line of operations.reconcile({}))
    if (line.type === 'result' && !line.ok) fatal(new Error('the books do not reconcile'))
  const millions = ((few + many) * EVENTS_PER_REQUEST) / 1_000_000
  figures.reconcile_s_per_million = round((performance.now() - reconciling) / 1000 / millions)
  say(`reconcile: ${figures.reconcile_s_per_million} s per million events`)
  await ledger.close()
  await views.close()
  await store.close()
  return figures
}

type Question = (account: AccountHistory, requests: number, turn: number) => Promise<unknown>

function questions(operations: Operations): Record<string, Question> {
  return {
    statement: ({ accountId }, requests, turn) =>
      operations.statement({
        account_id: accountId,
        after: placeOf(turn, requests - PAGE),
        limit: PAGE,
      }),
    usage: ({ accountId }) =>
      operations.accountUsage({
        account_id: accountId,
        from: '2026-11-01',
        to: '2026-12-01',
        group_by: 'key',
        zone: 'Europe/Berlin',
      }),
    requests: ({ accountId, keyId }, _, turn) =>
      operations.accountRequests({
        account_id: accountId,
        key_id: keyId,
        status: 'finished',
        limit: PAGE,
        to: new Date(START_MS + placeOf(turn, PERIOD_MS)).toISOString(),
      }),
  }
}

/** Somewhere else at every turn, and the same in every run. */
function placeOf(turn: number, size: number): number {
  return Math.floor(((turn * 0.618_033_988_7) % 1) * size)
}

/** In turns, so that whatever else the machine does falls on both. Sorted, in milliseconds. */
async function timesOf(
  small: (turn: number) => Promise<unknown>,
  large: (turn: number) => Promise<unknown>,
): Promise<readonly [readonly number[], readonly number[]]> {
  const times: [number[], number[]] = [[], []]
  for (let turn = -10; turn < QUESTIONS; turn += 1) {
    for (const [index, ask] of [small, large].entries()) {
      const before = performance.now()
      await ask(Math.abs(turn))
      if (turn >= 0) times[index]?.push(performance.now() - before)
    }
  }
  return [times[0].toSorted((a, b) => a - b), times[1].toSorted((a, b) => a - b)]
}

async function fill(
  store: Parameters<AccountHistory['writeTo']>[0],
  history: AccountHistory,
  requests: number,
): Promise<void> {
  history.open(START_MS, 10n ** 18n)
  const keys = [history.keyId, ...Array.from({ length: KEYS - 1 }, (_, i) => history.key(`${i}`))]
  for (let i = 0; i < requests; i += 1) {
    const at = START_MS + Math.floor((i / requests) * PERIOD_MS)
    const id = requestId(at, history.accountId, `${i}`)
    const format = wireFormats[i % wireFormats.length] ?? 'chat'
    history.accept(id, at, { keyId: keys[i % KEYS] ?? history.keyId, format }).settle(id, at)
    if (i % REQUESTS_PER_WRITE === 0) await history.writeTo(store)
  }
  await history.writeTo(store)
  say(`${requests} requests in the log`)
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

function fatal(error: unknown): void {
  throw error
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
