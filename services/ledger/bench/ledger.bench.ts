/**
 * How many request lifecycles the ledger takes, on this machine's disk: accepted, durable, settled;
 * three events in two appends.
 *
 *     node services/ledger/bench/ledger.bench.ts [--store sqlite|memory|eventstoredb] [--json]
 *         [--lifecycles 60000] [--log-events 1000000] [--profile]
 *
 * *hot*: one account with 64 requests in flight. *accounts_1000*: 64 requests in flight, spread
 * over 1,000 accounts. What is counted is synced to the disk (of TMPDIR).
 * Then the time from opening the store to the first durable acceptance, on the hot account with its
 * long log; the process itself is running already. *rebuild*: all views from nothing, through this
 * store. Figures in `cpu_us` are processor time of the main thread, per lifecycle or event: what to
 * compare on a machine that others use too.
 *
 * With `--profile` only the two loads run, and it is shown where their time goes; the figures are
 * worse then, because to look costs time.
 *
 * EventStoreDB is the server that EVENTSTORE_URL names. Without it the double of the tests runs in
 * a process of its own, which keeps everything in memory: that measures the adapter and the client,
 * and the first line of the output says so.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventStore, START } from '@svc/contracts/ports/event-store'
import type { SnapshotStore } from '@svc/contracts/ports/snapshot-store'
import { MemorySnapshotStore } from '@svc/infra/snapshot-store/memory/memory-snapshot-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { steadyClock } from '@svc/infra/system/steady-clock'
import { systemClock } from '@svc/infra/system/system-clock'
import { SystemIds } from '@svc/infra/system/system-ids'
import { systemTimer } from '@svc/infra/system/system-timer'
import { MemoryTextStore } from '@svc/infra/text-store/memory/memory-text-store'
import { openProjections } from '@svc/projections/open-projections'
import { linesOf, type Stage, sampled, tableOf } from '@svc/testing/cpu-profile'
import { type Customer, openCustomer } from '@svc/testing/ledger/open-customer'
import { meter } from '@svc/testing/ledger/sample'
import { readOptions } from '@svc/testing/read-options'
import { createLedger } from '../src/create-ledger.ts'
import type { Ledger } from '../src/ledger.ts'
import { type StoreName, startBenchStore, storeNames } from './bench-store.ts'

const MODEL = 'svc-beta'
const IN_FLIGHT = 64
const ACCOUNTS = 1_000
const WARM_UP_LIFECYCLES = 2_000
const EVENTS_PER_LIFECYCLE = 3
const REBUILD_LIMIT_MS = 3_600_000
const PAGE_EVENTS = 1_000
/** A client on a network is slower, and the double keeps its log in memory. */
const sizes: Readonly<Record<StoreName, { lifecycles: number; logEvents: number }>> = {
  sqlite: { lifecycles: 60_000, logEvents: 1_000_000 },
  memory: { lifecycles: 60_000, logEvents: 1_000_000 },
  eventstoredb: { lifecycles: 20_000, logEvents: 100_000 },
}

const values = readOptions(
  {
    store: { type: 'string', default: 'sqlite' },
    json: { type: 'boolean', default: false },
    lifecycles: { type: 'string' },
    'log-events': { type: 'string' },
    profile: { type: 'boolean', default: false },
  },
  { numbers: ['lifecycles', 'log-events'] },
)
const storeName = storeNames.find((name) => name === values.store)
if (storeName === undefined) throw new Error(`--store takes ${storeNames.join(', ')}`)
const lifecycles = Number(values.lifecycles ?? sizes[storeName].lifecycles)
const logEvents = Number(values['log-events'] ?? sizes[storeName].logEvents)

const stages: readonly Stage[] = [
  { name: 'hash chain', place: /hash-chain\.ts/ },
  { name: 'ids of events', place: /contracts\/src\/ids\.ts/ },
  { name: 'events as text', place: /events\/storage|recording\.ts/ },
  { name: 'checks of an append', place: /admit-append\.ts|ports\/append\.ts/ },
  { name: 'deciding and folding', place: /ledger\/src\/account|contracts\/src|\/zod\// },
  { name: 'writer', place: /ledger\/src/ },
  { name: 'SQLite', place: /sqlite/ },
  { name: 'gRPC and the client library', place: /grpc-js|db-client|protobuf/ },
  { name: 'adapter of EventStoreDB', place: /eventstoredb/ },
  { name: 'Node.js', place: /^node:/ },
  { name: 'garbage collector', place: /garbage/ },
]

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const snapshots = new MemorySnapshotStore()
const bench = await startBenchStore(storeName, folder)
process.stderr.write(`on ${bench.description}\n`)

async function openLedger(store: EventStore, snapshotStore: SnapshotStore): Promise<Ledger> {
  const ids = new SystemIds(systemClock)
  return createLedger({
    store,
    snapshots: snapshotStore,
    texts: new MemoryTextStore(),
    clock: systemClock,
    steadyClock,
    timer: systemTimer,
    ids,
    randomBytes,
    gatewayId: ids.next('gw'),
  })
}

function accept(ledger: Ledger, { accountId, keyId }: Customer) {
  return ledger.accept(accountId, {
    requestId: ledger.newRequestId(),
    keyId,
    format: 'chat',
    model: MODEL,
    promptTokens: 900,
    maxOutputTokens: 500,
    idempotency: null,
    endsWithinMs: 600_000,
  })
}

async function runLifecycle(ledger: Ledger, customer: Customer): Promise<void> {
  const { requestId, durable } = await accept(ledger, customer)
  await durable
  await ledger.settle(customer.accountId, {
    requestId,
    meter: meter({ inputTokens: 388, cachedInputTokens: 512, outputTokens: 200 }),
    finishReason: 'stop',
    rule: 'metered',
    failure: null,
  })
}

interface Load {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Microseconds of the main thread for each. */
  readonly cpuUs: number
}

async function load(count: number, inFlight: number, work: (index: number) => Promise<void>) {
  const latenciesMs: number[] = []
  let started = 0
  const startedAt = performance.now()
  const processorBefore = process.threadCpuUsage()
  const worker = async (): Promise<void> => {
    while (started < count) {
      started += 1
      const index = started
      const lifecycleAt = performance.now()
      await work(index)
      latenciesMs.push(performance.now() - lifecycleAt)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  const perSecond = Math.round((count / (performance.now() - startedAt)) * 1_000)
  const cpuUs = processorUs(processorBefore, count)
  latenciesMs.sort((a, b) => a - b)
  const percentile = (share: number) => round(latenciesMs[Math.floor(count * share)] ?? 0)
  return { perSecond, p50Ms: percentile(0.5), p99Ms: percentile(0.99), cpuUs } satisfies Load
}

async function measured(name: string, count: number, work: (index: number) => Promise<void>) {
  if (!values.profile) return load(count, IN_FLIGHT, work)
  let result: Load | undefined
  const profile = await sampled(async () => {
    result = await load(count, IN_FLIGHT, work)
  })
  const lines = linesOf(tableOf(profile, stages, { count }))
  process.stdout.write(`${name}: µs of the main thread per lifecycle\n${lines.join('\n')}\n\n`)
  return result as Load
}

/** From opening the store to the first durable acceptance. */
async function timeToFirstAcceptance(
  customer: Customer,
  snapshotStore: SnapshotStore,
): Promise<number> {
  const startedAt = performance.now()
  const store = await bench.open()
  const ledger = await openLedger(store, snapshotStore)
  const { requestId, durable } = await accept(ledger, customer)
  await durable
  const elapsedMs = performance.now() - startedAt
  await ledger.fail(customer.accountId, requestId, 'bench')
  await ledger.close()
  await bench.close(store)
  return Math.round(elapsedMs)
}

/** All views from an empty folder to the end of the log. */
async function rebuild() {
  const store = await bench.open()
  const readStartedAt = performance.now()
  const events = await countEvents(store)
  const readPerSecond = Math.round((events / (performance.now() - readStartedAt)) * 1_000)
  const quiet = { info: () => {}, warn: () => {}, error: () => {} }
  const views = await openProjections({
    folder: join(folder, 'views'),
    store,
    timer: systemTimer,
    keepFile: durableFile,
    log: quiet,
  })
  const startedAt = performance.now()
  const processorBefore = process.threadCpuUsage()
  views.start()
  await views.reached(await store.lastPosition(), REBUILD_LIMIT_MS)
  const perSecond = Math.round((events / (performance.now() - startedAt)) * 1_000)
  const cpuUs = processorUs(processorBefore, events)
  await views.close()
  await bench.close(store)
  return { perSecond, readPerSecond, cpuUs }
}

async function countEvents(store: EventStore): Promise<number> {
  let count = 0
  for (let after = START; ; ) {
    const page = await store.readAll({ after, limit: PAGE_EVENTS })
    const last = page.at(-1)
    if (last === undefined) return count
    count += page.length
    after = last.position
  }
}

function processorUs(before: NodeJS.CpuUsage, count: number): number {
  const { user, system } = process.threadCpuUsage(before)
  return round((user + system) / count)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

async function measure(): Promise<ReadonlyMap<string, number | string>> {
  const figures = new Map<string, number | string>([
    ['store', bench.description],
    ['cpus', cpus().length],
  ])
  const store = await bench.open()
  const ledger = await openLedger(store, snapshots)
  await ledger.pricing.publish({
    model: MODEL,
    rates: { input: 150_000n, cachedInput: 15_000n, output: 600_000n },
    actor: 'bench',
  })

  const hotCustomer = await openCustomer(ledger)
  const runHot = () => runLifecycle(ledger, hotCustomer)
  await load(WARM_UP_LIFECYCLES, IN_FLIGHT, runHot)
  const hot = await measured('hot', lifecycles, runHot)
  figures.set('hot_lifecycles_per_s', hot.perSecond)
  figures.set('hot_p50_ms', hot.p50Ms)
  figures.set('hot_p99_ms', hot.p99Ms)
  figures.set('hot_cpu_us', hot.cpuUs)

  const customers = await Promise.all(Array.from({ length: ACCOUNTS }, () => openCustomer(ledger)))
  const spread = await measured('accounts_1000', lifecycles, (index) =>
    runLifecycle(ledger, customers[index % ACCOUNTS] ?? hotCustomer),
  )
  figures.set('accounts_1000_lifecycles_per_s', spread.perSecond)
  figures.set('accounts_1000_p50_ms', spread.p50Ms)
  figures.set('accounts_1000_p99_ms', spread.p99Ms)
  figures.set('accounts_1000_cpu_us', spread.cpuUs)
  if (values.profile) {
    await ledger.close()
    await bench.close(store)
    return figures
  }

  const written = (WARM_UP_LIFECYCLES + lifecycles) * EVENTS_PER_LIFECYCLE
  const missing = Math.max(0, Math.ceil((logEvents - written) / EVENTS_PER_LIFECYCLE))
  await load(missing, IN_FLIGHT, runHot)
  await ledger.close()
  await bench.close(store)
  figures.set('hot_log_events', written + missing * EVENTS_PER_LIFECYCLE)
  figures.set('start_with_snapshot_ms', await timeToFirstAcceptance(hotCustomer, snapshots))
  const withoutSnapshot = await timeToFirstAcceptance(hotCustomer, new MemorySnapshotStore())
  figures.set('start_without_snapshot_ms', withoutSnapshot)
  const rebuilt = await rebuild()
  figures.set('read_events_per_s', rebuilt.readPerSecond)
  figures.set('rebuild_events_per_s', rebuilt.perSecond)
  figures.set('rebuild_cpu_us', rebuilt.cpuUs)
  return figures
}

try {
  const figures = await measure()
  if (!values.json) {
    for (const [name, figure] of figures) process.stdout.write(`${name} ${figure}\n`)
  }
  process.stdout.write(`${JSON.stringify(Object.fromEntries(figures))}\n`)
} finally {
  await bench.end()
  rmSync(folder, { recursive: true, force: true })
}
