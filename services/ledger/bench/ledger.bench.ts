/**
 * How many request lifecycles the ledger takes, on this machine's disk: accepted, durable, settled;
 * three events in two appends.
 *
 *     node services/ledger/bench/ledger.bench.ts [--store sqlite|memory] [--json]
 *         [--lifecycles 60000] [--log-events 1000000]
 *
 * *hot*: one account with 64 requests in flight. *accounts_1000*: 64 requests in flight, spread
 * over 1,000 accounts. Both with `synchronous=FULL`: what is counted is on the disk (of TMPDIR).
 * Then the time from opening the files to the first durable acceptance, on the hot account with its
 * long log; the process itself is running already.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { EventStore } from '@svc/contracts/event-store'
import { parseDollars } from '@svc/contracts/money'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { MemorySnapshotStore } from '@svc/infra/snapshot-store/memory/memory-snapshot-store'
import { systemClock } from '@svc/infra/system/system-clock'
import { SystemIds } from '@svc/infra/system/system-ids'
import { systemTimer } from '@svc/infra/system/system-timer'
import { createLedger } from '../src/create-ledger.ts'
import type { Ledger } from '../src/ledger.ts'
import type { SnapshotStore } from '../src/ports.ts'
import { meter } from '../testing/sample.ts'

const MODEL = 'svc-beta'
const IN_FLIGHT = 64
const ACCOUNTS = 1_000
const EVENTS_PER_LIFECYCLE = 3

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    json: { type: 'boolean', default: false },
    lifecycles: { type: 'string', default: '60000' },
    'log-events': { type: 'string', default: '1000000' },
  },
})
const lifecycles = Number(values.lifecycles)
const logEvents = Number(values['log-events'])

interface Customer {
  readonly accountId: string
  readonly keyId: string
}

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const memoryStore = new MemoryEventStore()
const snapshots = new MemorySnapshotStore()

function openStore(): EventStore {
  if (values.store === 'memory') return memoryStore
  return openSqliteEventStore(join(folder, 'ledger.db'), {
    onFatal: (error) => {
      throw error
    },
  })
}

async function openLedger(store: EventStore, snapshotStore: SnapshotStore): Promise<Ledger> {
  const ids = new SystemIds(systemClock)
  return createLedger({
    store,
    snapshots: snapshotStore,
    clock: systemClock,
    timer: systemTimer,
    ids,
    randomBytes,
    gatewayId: ids.next('gw'),
  })
}

async function openCustomer(ledger: Ledger): Promise<Customer> {
  const accountId = await ledger.openAccount({ name: 'bench', actor: 'bench' })
  await ledger.grant(accountId, {
    amount: parseDollars('1000000'),
    category: 'paid',
    priority: 100,
    expiresAt: null,
    reference: null,
    reason: 'bench',
    actor: 'bench',
  })
  const { keyId } = await ledger.createKey(accountId, { name: 'bench', actor: 'bench' })
  return { accountId, keyId }
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
    deadline: systemClock.nowMs() + 600_000,
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
}

async function load(count: number, inFlight: number, work: (index: number) => Promise<void>) {
  const latenciesMs: number[] = []
  let started = 0
  const startedAt = performance.now()
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
  latenciesMs.sort((a, b) => a - b)
  const percentile = (share: number) => round(latenciesMs[Math.floor(count * share)] ?? 0)
  return { perSecond, p50Ms: percentile(0.5), p99Ms: percentile(0.99) } satisfies Load
}

/** From opening the files to the first durable acceptance. */
async function timeToFirstAcceptance(
  customer: Customer,
  snapshotStore: SnapshotStore,
): Promise<number> {
  const startedAt = performance.now()
  const store = openStore()
  const ledger = await openLedger(store, snapshotStore)
  const { requestId, durable } = await accept(ledger, customer)
  await durable
  const elapsedMs = performance.now() - startedAt
  await ledger.fail(customer.accountId, requestId, 'bench')
  await ledger.close()
  if (values.store !== 'memory') await store.close()
  return Math.round(elapsedMs)
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}

const figures = new Map<string, number | string>([
  ['store', values.store],
  ['cpus', cpus().length],
])
const store = openStore()
const ledger = await openLedger(store, snapshots)
await ledger.publishPrice({
  model: MODEL,
  rates: { input: 150_000n, cachedInput: 15_000n, output: 600_000n },
})

const hotCustomer = await openCustomer(ledger)
const runHot = () => runLifecycle(ledger, hotCustomer)
await load(2_000, IN_FLIGHT, runHot)
const hot = await load(lifecycles, IN_FLIGHT, runHot)
figures.set('hot_lifecycles_per_s', hot.perSecond)
figures.set('hot_p50_ms', hot.p50Ms)
figures.set('hot_p99_ms', hot.p99Ms)

const customers = await Promise.all(Array.from({ length: ACCOUNTS }, () => openCustomer(ledger)))
const spread = await load(lifecycles, IN_FLIGHT, (index) =>
  runLifecycle(ledger, customers[index % ACCOUNTS] ?? hotCustomer),
)
figures.set('accounts_1000_lifecycles_per_s', spread.perSecond)
figures.set('accounts_1000_p50_ms', spread.p50Ms)
figures.set('accounts_1000_p99_ms', spread.p99Ms)

const written = (2_000 + lifecycles) * EVENTS_PER_LIFECYCLE
const missing = Math.max(0, Math.ceil((logEvents - written) / EVENTS_PER_LIFECYCLE))
await load(missing, IN_FLIGHT, runHot)
await ledger.close()
if (values.store !== 'memory') await store.close()
figures.set('hot_log_events', written + missing * EVENTS_PER_LIFECYCLE)
figures.set('start_with_snapshot_ms', await timeToFirstAcceptance(hotCustomer, snapshots))
const withoutSnapshot = await timeToFirstAcceptance(hotCustomer, new MemorySnapshotStore())
figures.set('start_without_snapshot_ms', withoutSnapshot)
rmSync(folder, { recursive: true, force: true })

if (!values.json) {
  for (const [name, figure] of figures) process.stdout.write(`${name} ${figure}\n`)
}
process.stdout.write(`${JSON.stringify(Object.fromEntries(figures))}\n`)
