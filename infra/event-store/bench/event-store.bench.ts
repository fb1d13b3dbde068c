/**
 * How fast the SQLite adapter writes and reads, on this machine's disk.
 *
 *     node infra/event-store/bench/event-store.bench.ts [--json] [--events 300000]
 *
 * Two loads, shaped as the ledger makes them. One hot stream: its writer chains appends of 64
 * events, the commands that came in during the commit before. 1,024 streams: 64 appends of three
 * events in flight, each of another stream.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventId, makeId } from '@svc/contracts/ids'
import {
  type EventStore,
  type NewEvent,
  NO_STREAM,
  START,
  type StreamHead,
} from '@svc/contracts/ports/event-store'
import { readOptions } from '@svc/testing/read-options'
import { openSqliteEventStore } from '../sqlite/sqlite-event-store.ts'
import { verifyLog } from '../verify-log.ts'

const IN_FLIGHT = 64
const STREAMS_PER_WRITER = 16
const EVENTS_PER_COMMAND = 3
const PAGE_EVENTS = 1_000
const DATA_BYTES = 220

const values = readOptions({
  json: { type: 'boolean', default: false },
  events: { type: 'string', default: '300000' },
})
const eventCount = Number(values.events)

let made = 0
function makeEvents(count: number): NewEvent[] {
  const cause = makeId('req', 1_800_000_000_000 + made, Buffer.alloc(10, made))
  return Array.from({ length: count }, () => {
    made += 1
    return {
      id: eventId(cause, `CreditDebited ${made}`),
      type: 'CreditDebited',
      data: JSON.stringify({ requestId: cause, amount: `${made}` }).padEnd(DATA_BYTES),
      metadata: `{"schemaVersion":1,"correlationId":"${cause}","causationId":"${cause}","actor":"gw"}`,
    }
  })
}

/** Makes the events before the clock runs, because the store's work is measured and not theirs. */
function makeBatches(size: number): NewEvent[][] {
  return Array.from({ length: Math.floor(eventCount / size) }, () => makeEvents(size))
}

async function mustAppend(
  store: EventStore,
  stream: string,
  expected: StreamHead,
  events: readonly NewEvent[],
): Promise<StreamHead> {
  const outcome = await store.append({ stream, expected, events })
  if (outcome.kind !== 'appended') throw new Error(`append: ${outcome.kind}`)
  return outcome.head
}

/** Lets one writer chain batches: what arrives while a commit runs is the next batch. */
async function writeOneStream(store: EventStore, batches: readonly NewEvent[][]): Promise<void> {
  let head = NO_STREAM
  for (const events of batches) head = await mustAppend(store, 'account-hot', head, events)
}

/** Runs as many writers as may be in flight, each with its own share of the streams. */
async function writeManyStreams(store: EventStore, batches: NewEvent[][]): Promise<number[]> {
  const latencies: number[] = []
  const heads = new Map<string, StreamHead>()
  const writers = Array.from({ length: IN_FLIGHT }, async (_, writer) => {
    for (let turn = 0; ; turn += 1) {
      const events = batches[turn * IN_FLIGHT + writer]
      if (events === undefined) return
      const stream = `account-${writer}-${turn % STREAMS_PER_WRITER}`
      const startedAt = performance.now()
      const expected = heads.get(stream) ?? NO_STREAM
      heads.set(stream, await mustAppend(store, stream, expected, events))
      latencies.push(performance.now() - startedAt)
    }
  })
  await Promise.all(writers)
  return latencies.toSorted((a, b) => a - b)
}

async function readAll(store: EventStore): Promise<number> {
  let events = 0
  for (let after = START; ; ) {
    const page = await store.readAll({ after, limit: PAGE_EVENTS })
    const last = page.at(-1)
    if (last === undefined) return events
    events += page.length
    after = last.position
  }
}

async function ratePerSecond(events: number, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return Math.round((events / (performance.now() - startedAt)) * 1_000)
}

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const store = openSqliteEventStore(join(folder, 'ledger.db'), {
  onFatal: (error) => {
    throw error
  },
})
let latencies: number[] = []
const hotBatches = makeBatches(IN_FLIGHT)
const figures: Record<string, number> = {}
figures.one_stream_events_per_s = await ratePerSecond(eventCount, () =>
  writeOneStream(store, hotBatches),
)
const batches = makeBatches(EVENTS_PER_COMMAND)
figures.streams_1024_events_per_s = await ratePerSecond(eventCount, async () => {
  latencies = await writeManyStreams(store, batches)
})
figures.streams_1024_append_p50_ms = percentile(latencies, 0.5)
figures.streams_1024_append_p99_ms = percentile(latencies, 0.99)
const stored = await readAll(store)
figures.read_all_events_per_s = await ratePerSecond(stored, () => readAll(store))
figures.verify_events_per_s = await ratePerSecond(stored, () => verifyLog(store))
await store.close()
const reopenedAt = performance.now()
const reopened = openSqliteEventStore(join(folder, 'ledger.db'), { onFatal: () => {} })
figures.open_ms = round(performance.now() - reopenedAt)
await reopened.close()
rmSync(folder, { recursive: true, force: true })

if (values.json) {
  process.stdout.write(`${JSON.stringify({ events: stored, cpus: cpus().length, ...figures })}\n`)
} else {
  process.stdout.write(`${stored} events\n`)
  for (const [name, figure] of Object.entries(figures)) process.stdout.write(`${name} ${figure}\n`)
}

function percentile(sorted: readonly number[], share: number): number {
  return round(sorted[Math.floor(sorted.length * share)] ?? 0)
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}
