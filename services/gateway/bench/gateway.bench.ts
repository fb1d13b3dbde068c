/**
 * What the gateway costs: everything but inference, with billing on and every answer durable.
 *
 *     npm run bench:gateway -- [--accounts 64] [--seconds 10] [--history-events 1000000] [--json]
 *     npm run bench:gateway -- --profile [--accounts 64] [--seconds 10]
 *     npm run bench:gateway -- --requests 200000 [--accounts 1000] [--json]
 *
 * The server is made of the real parts: ledger on SQLite with full sync, projections, gateway. The
 * worker is scripted and answers at once. Server, worker and load are three processes.
 *
 * With `--profile` it shows where the processor time of a plain and of a streamed request goes, by
 * stage and by function; to look costs time too.
 *
 * With `--requests` it answers as many, plain and streamed in turn, of `--accounts` in turn. It
 * shows what the server holds of the machine's memory meanwhile, and the processor time of a
 * request. It fails when what the answers said that they cost is not what the accounts were
 * debited, to the last digit, or not what their usage shows.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WireFormat } from '@svc/contracts/events/account'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { PriceVersion } from '@svc/contracts/price'
import { nowUs, profilingOptions } from '@svc/testing/cpu-profile'
import { readOptions } from '@svc/testing/read-options'
import { booksOfAll } from './books.ts'
import type { GatewayTarget, WorkerTarget } from './load-plan.ts'
import { runLoad, type Service, startServer, startWorker } from './processes.ts'
import { type SeededAccount, seedAccount } from './seed-log.ts'
import { seedLog, untilCaughtUp } from './seeded-server.ts'
import { linesOfProfile, type NamedWork } from './stages.ts'

const CONNECTIONS = 64
const OUTPUT_TOKENS = 32
const CALM_REQUESTS_PER_SECOND = 50
const WARM_UP_SECONDS = 3
const LATENCY_ROUNDS = 5
const SHORT_HISTORY_EVENTS = 1_000
const HISTORY_ROUNDS = 5
const HISTORY_REQUESTS = 200
const HISTORY_ROUND_SECONDS_MAX = 60
const MANY_ROUNDS = 10
const MANY_ROUND_SECONDS_MAX = 3_600
const MEBIBYTE = 2 ** 20

interface Bench {
  readonly server: Service
  readonly baseUrl: string
  readonly socketPath: string
  readonly seconds: number
  /** Whose requests are counted in a second, in turn. */
  readonly busy: readonly SeededAccount[]
  readonly short: readonly SeededAccount[]
  readonly long: SeededAccount
}

type Figures = Readonly<Record<string, number>>

const values = readOptions({
  seconds: { type: 'string', default: '10' },
  'history-events': { type: 'string', default: '1000000' },
  json: { type: 'boolean', default: false },
  profile: { type: 'boolean', default: false },
  requests: { type: 'string', default: '0' },
  accounts: { type: 'string', default: '1' },
})

const say = (line: string) => process.stdout.write(`${line}\n`)
const rounded = (value: number) => Math.round(value * 1000) / 1000

const [load = 0] = loadavg()
say(`${availableParallelism()} cores, load ${load.toFixed(1)}: other work makes every figure worse`)

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-gateway-'))
try {
  const requests = Number(values.requests)
  const count = Number(values.accounts)
  const seconds = Number(values.seconds)
  if (values.profile) await profile(folder, seconds, count)
  else {
    const figures =
      requests > 0
        ? await manyRequests(folder, requests, count)
        : await measure(folder, seconds, Number(values['history-events']), count)
    for (const [name, value] of Object.entries(figures)) say(`${name.padEnd(44)} ${value}`)
    if (values.json) say(JSON.stringify(figures))
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measure(
  data: string,
  seconds: number,
  historyEvents: number,
  count: number,
): Promise<Figures> {
  say(`seeding an account with ${historyEvents} events …`)
  const accounts = await seed(data, historyEvents, count)
  const socketPath = join(data, 'worker.sock')
  await using services = new AsyncDisposableStack()
  const worker = await startWorker(socketPath, OUTPUT_TOKENS)
  services.defer(() => worker.stop())
  const server = await startServer(data, socketPath)
  services.defer(() => server.stop())
  const bench: Bench = { ...accounts, server, baseUrl: server.ready, socketPath, seconds }
  await untilCaughtUp(bench.baseUrl, [...bench.busy, ...bench.short, bench.long])
  return {
    ...(await throughput(bench, 'chat')),
    ...prefixed('responses_', await throughput(bench, 'responses')),
    ...prefixed('messages_', await throughput(bench, 'messages')),
    ...(await addedLatency(bench)),
    ...(await costOfHistory(bench)),
  }
}

async function profile(data: string, seconds: number, count: number): Promise<void> {
  const works: NamedWork[] = []
  {
    await using server = await smallServer(data, count, profilingOptions(data))
    for (const stream of [false, true]) {
      const target = gateway({ baseUrl: server.ready }, server.accounts, stream)
      await runLoad({ target, connections: CONNECTIONS, seconds: WARM_UP_SECONDS })
      const fromUs = nowUs()
      const { requests } = await runLoad({ target, connections: CONNECTIONS, seconds })
      const name = stream ? `stream of ${OUTPUT_TOKENS} tokens` : 'plain request'
      works.push({ name, count: requests, fromUs, untilUs: nowUs() })
    }
  }
  for (const line of linesOfProfile(data, works)) say(line)
}

async function manyRequests(data: string, requests: number, count: number): Promise<Figures> {
  await using server = await smallServer(data, count)
  const { accounts, ready: baseUrl } = server
  const residentMib = () => Math.round(server.residentBytes() / MEBIBYTE)
  const startMib = residentMib()
  const before = await booksOfAll(baseUrl, accounts)
  const beforeUs = server.processorUs()
  const residentMibs: number[] = []
  let told = 0n
  let answered = 0
  let seconds = 0
  for (let round = 1; round <= MANY_ROUNDS; round += 1) {
    const target = { ...gateway({ baseUrl }, accounts, round % 2 === 0), readsCost: true }
    const size = { requests: Math.ceil(requests / MANY_ROUNDS), seconds: MANY_ROUND_SECONDS_MAX }
    const result = await runLoad({ target, connections: CONNECTIONS, ...size })
    told += BigInt(result.cost)
    answered += result.requests
    seconds += result.seconds
    residentMibs.push(residentMib())
    say(`${answered} requests: ${residentMibs.at(-1)} MiB`)
  }
  const serverUs = (server.processorUs() - beforeUs) / answered
  const after = await booksOfAll(baseUrl, accounts)
  const billed = after.requests - before.requests
  const debited = before.settled - after.settled
  if (debited !== told) throw new Error(`${debited} pico-dollars were debited, and ${told} told`)
  if (billed !== answered) throw new Error(`${billed} of ${answered} requests were billed`)
  return {
    billed_requests: billed,
    requests_per_s: rounded(answered / seconds),
    requests_server_us: rounded(serverUs),
    memory_start_mib: startMib,
    memory_most_mib: Math.max(...residentMibs),
    memory_end_mib: residentMibs.at(-1) ?? startMib,
  }
}

/** With accounts that have no past. */
async function smallServer(data: string, count: number, options: readonly string[] = []) {
  const accounts = await seedLog(data, (store, price) => seedAccounts(store, price, count, 0))
  const socketPath = join(data, 'worker.sock')
  await using services = new AsyncDisposableStack()
  const worker = await startWorker(socketPath, OUTPUT_TOKENS)
  services.defer(() => worker.stop())
  const server = await startServer(data, socketPath, options)
  services.defer(() => server.stop())
  await untilCaughtUp(server.ready, accounts)
  const started = services.move()
  return { ...server, accounts, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

function seed(data: string, historyEvents: number, count: number) {
  return seedLog(data, async (store, price) => {
    const busy = await seedAccounts(store, price, count, 0)
    const short = await seedAccounts(store, price, HISTORY_ROUNDS, SHORT_HISTORY_EVENTS)
    const long = await seedAccount(store, price, historyEvents)
    return { busy, short, long }
  })
}

async function seedAccounts(
  store: EventStore,
  price: PriceVersion,
  count: number,
  events: number,
): Promise<readonly SeededAccount[]> {
  const seeded: SeededAccount[] = []
  while (seeded.length < count) seeded.push(await seedAccount(store, price, events))
  return seeded
}

function prefixed(prefix: string, figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [prefix + name, value]))
}

async function throughput(bench: Bench, format: WireFormat): Promise<Figures> {
  const run = async (stream: boolean, seconds: number) => {
    const target = { ...gateway(bench, bench.busy, stream), format }
    const before = bench.server.processorUs()
    const result = await runLoad({ target, connections: CONNECTIONS, seconds })
    return { ...result, serverUs: (bench.server.processorUs() - before) / result.requests }
  }
  await run(false, WARM_UP_SECONDS)
  const whole = await run(false, bench.seconds)
  await run(true, WARM_UP_SECONDS)
  const streamed = await run(true, bench.seconds)
  return {
    requests_per_s: rounded(whole.requestsPerSecond),
    requests_p50_ms: rounded(whole.p50Ms),
    requests_p99_ms: rounded(whole.p99Ms),
    requests_server_us: rounded(whole.serverUs),
    streaming_32_tokens_requests_per_s: rounded(streamed.requestsPerSecond),
    streaming_32_tokens_p50_ms: rounded(streamed.p50Ms),
    streaming_32_tokens_p99_ms: rounded(streamed.p99Ms),
    streaming_32_tokens_server_us: rounded(streamed.serverUs),
  }
}

/** A request through the gateway, less the calls to the worker that it is made of; in turn. */
async function addedLatency(bench: Bench): Promise<Figures> {
  const calm = { connections: CONNECTIONS, requestsPerSecond: CALM_REQUESTS_PER_SECOND }
  const worker: WorkerTarget = {
    kind: 'worker',
    socketPath: bench.socketPath,
    outputTokens: OUTPUT_TOKENS,
  }
  const target = gateway(bench, bench.busy, false)
  const seconds = bench.seconds / LATENCY_ROUNDS
  const directMs: number[] = []
  const throughMs: number[] = []
  for (let round = 0; round < LATENCY_ROUNDS; round += 1) {
    directMs.push((await runLoad({ ...calm, target: worker, seconds })).p50Ms)
    throughMs.push((await runLoad({ ...calm, target, seconds })).p50Ms)
  }
  return {
    worker_alone_p50_at_50_per_s_ms: rounded(median(directMs)),
    gateway_p50_at_50_per_s_ms: rounded(median(throughMs)),
    gateway_added_p50_at_50_per_s_ms: rounded(median(throughMs) - median(directMs)),
  }
}

/** Short and long pasts in turn, one request after another, so that both see the same machine. */
async function costOfHistory(bench: Bench): Promise<Figures> {
  const p50OfRound = async (account: SeededAccount) => {
    const target = gateway(bench, [account], false)
    const size = { requests: HISTORY_REQUESTS, seconds: HISTORY_ROUND_SECONDS_MAX }
    return (await runLoad({ target, connections: 1, ...size })).p50Ms
  }
  const shortMs: number[] = []
  const longMs: number[] = []
  for (const [round, account] of bench.short.entries()) {
    if (round % 2 === 0) shortMs.push(await p50OfRound(account))
    longMs.push(await p50OfRound(bench.long))
    if (round % 2 === 1) shortMs.push(await p50OfRound(account))
  }
  return {
    history_short_events: bench.short[0]?.events ?? 0,
    history_long_events: bench.long.events,
    history_short_p50_ms: rounded(median(shortMs)),
    history_long_p50_ms: rounded(median(longMs)),
    history_long_to_short_ratio: rounded(median(longMs) / median(shortMs)),
  }
}

function gateway(
  { baseUrl }: Pick<Bench, 'baseUrl'>,
  accounts: readonly SeededAccount[],
  stream: boolean,
): GatewayTarget {
  const apiKeys = accounts.map(({ apiKey }) => apiKey)
  return { kind: 'gateway', format: 'chat', baseUrl, apiKeys, stream, outputTokens: OUTPUT_TOKENS }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
