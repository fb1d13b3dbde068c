/**
 * How fast the views are built from the log.
 *
 *     node projections/bench/projections.bench.ts [--events 1000000] [--accounts 1000]
 *                                              [--threads 1] [--json]
 *
 * Fills a SQLite log with lifecycles of three events (accepted, metered, debited). What is
 * measured:
 *
 *     rebuild_events_per_s          from an empty folder until all views have the last event
 *                                   of the log on disk: one reading for all, in --threads threads;
 *                                   with 0 all of it happens on the main thread
 *     rebuild_cpu_us_per_event      the same in processor time, user and system, of all threads of
 *                                   the process: the figure to compare on a machine that others use
 *     rebuild_main_us_per_event     of that, what the thread takes that answers requests
 *     longest_stall_ms              meanwhile, the longest time in which nothing else had its turn
 *     rebuild_NAME_events_per_s     one view built beside the live one, compared with it row by
 *                                   row, and swapped
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { systemTimer } from '@svc/infra/system/system-timer'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { readOptions } from '@svc/testing/read-options'
import { projections } from '../src/followed/followed-projections.ts'
import { openProjections } from '../src/open-projections.ts'

const EVENTS_PER_LIFECYCLE = 3
const LIFECYCLES_PER_APPEND = 100
const LIMIT_MS = 3_600_000
const quiet = {
  info: () => {},
  warn: () => {},
  error: ({ reason = '' }: { readonly reason?: string }, message: string) =>
    say(`${message}: ${reason}`),
}

const values = readOptions({
  events: { type: 'string', default: '1000000' },
  accounts: { type: 'string', default: '1000' },
  threads: { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
})

const threads = Number(values.threads)
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-projections-'))
try {
  const figures = await measure(Number(values.events), Number(values.accounts))
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`)
} finally {
  rmSync(folder, { recursive: true })
}

async function measure(events: number, accounts: number): Promise<Record<string, number | string>> {
  const store = openSqliteEventStore(join(folder, 'ledger.db'), { onFatal: fatal })
  await fill(store, events, accounts)
  const head = await store.lastPosition()
  const views = await openProjections({
    folder: join(folder, 'views'),
    store,
    timer: systemTimer,
    keepFile: durableFile,
    log: quiet,
    ...(threads > 0 && { threads: { count: threads, longEvents: 5_000, environment: {} } }),
  })

  const startedAt = performance.now()
  const stalls = watchStalls()
  const allBefore = process.cpuUsage()
  const mainBefore = process.threadCpuUsage()
  views.start()
  await views.reached(head, LIMIT_MS)
  const seconds = (performance.now() - startedAt) / 1000
  const all = process.cpuUsage(allBefore)
  const main = process.threadCpuUsage(mainBefore)
  const figures: Record<string, number | string> = {
    machine: `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores`,
    events,
    accounts,
    rebuild_seconds: round(seconds),
    rebuild_events_per_s: Math.round(events / seconds),
    threads,
    rebuild_cpu_us_per_event: round((all.user + all.system) / events),
    rebuild_main_us_per_event: round((main.user + main.system) / events),
    longest_stall_ms: round(stalls.stop()),
  }
  say(`all views at once: ${figures.rebuild_events_per_s} events/s`)
  for (const { name } of projections) {
    const begin = performance.now()
    const { differences } = await views.rebuild(name, () => {})
    const rate = Math.round((events * 1000) / (performance.now() - begin))
    if (differences !== 0) throw new Error(`${name} differs in ${differences} rows`)
    figures[`rebuild_${name}_events_per_s`] = rate
    say(`rebuild of ${name}, compared and swapped: ${rate} events/s`)
  }
  await views.close()
  await store.close()
  return figures
}

async function fill(store: EventStore, events: number, accounts: number): Promise<void> {
  const histories = Array.from({ length: accounts }, (_, i) => new AccountHistory(`${i}`).open())
  await Promise.all(histories.map((history) => history.writeTo(store)))
  const lifecycles = Math.ceil(events / EVENTS_PER_LIFECYCLE)
  for (let done = 0; done < lifecycles; ) {
    const at = START_MS + done
    const touched = new Set<AccountHistory>()
    for (let i = 0; i < LIFECYCLES_PER_APPEND && done < lifecycles; i += 1) {
      const history = histories[(done * 7919) % accounts]
      if (history === undefined) throw new Error('no account')
      const id = requestId(at, `${done}`)
      history.accept(id, at).settle(id, at + 90)
      touched.add(history)
      done += 1
    }
    await Promise.all([...touched].map((history) => history.writeTo(store)))
  }
  say(`${lifecycles * EVENTS_PER_LIFECYCLE} events in the log`)
}

/** The longest time in which nothing else had its turn. */
function watchStalls(): { stop(): number } {
  let longest = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - 1)
    last = now
  }, 1)
  return {
    stop() {
      clearInterval(timer)
      return longest
    },
  }
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
