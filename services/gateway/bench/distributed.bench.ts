/**
 * Two gateways on one EventStoreDB, and 64 clients on one account and on 1,000: with a balancer
 * that sends an account to one gateway, and with one that sends every request to the next.
 *
 *     npm run bench:distributed -- [--seconds 10] [--accounts 1000] [--json]
 *     EVENTSTORE_URL=esdb://…        a real server, whose streams `bench-…` are written; by default
 *                                    the tests' own double, in memory: it costs less than a disk
 *
 * The gateways are real processes, `svc start gateway`. The worker is scripted and answers at once.
 * It ends with an error when any request fails: no conflict may reach a client.
 */
import { randomBytes } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { openEventStoreDb } from '@svc/infra/event-store/eventstoredb/open-eventstoredb'
import { readOptions } from '@svc/testing/read-options'
import { ServerProcess } from '@svc/testing/server-process'
import { makeTemporaryFolder } from '@svc/testing/temporary-folder'
import { Pool } from 'undici'
import { type Call, callOf } from './calls.ts'
import { startDouble, startWorker } from './processes.ts'
import { type SeededAccount, seedAccount, seedPrice } from './seed-log.ts'

const GATEWAYS = 2
const CLIENTS = 64
const OUTPUT_TOKENS = 8
const WARM_UP_SECONDS = 3
const SEEDED_AT_ONCE = 32
const SECOND_MS = 1_000

const values = readOptions({
  seconds: { type: 'string', default: '10' },
  accounts: { type: 'string', default: '1000' },
  json: { type: 'boolean', default: false },
})
const say = (line: string) => process.stdout.write(`${line}\n`)

type Figures = Record<string, number>
/** @returns which gateway a request goes to */
type Balancer = (account: number) => number

const [load = 0] = loadavg()
say(`${availableParallelism()} cores, load ${load.toFixed(1)}: other work makes every figure worse`)
const figures = await measure(Number(values.seconds), Number(values.accounts))
for (const [name, value] of Object.entries(figures)) say(`${name.padEnd(44)} ${value}`)
if (values.json) say(JSON.stringify(figures))

async function measure(seconds: number, accountCount: number): Promise<Figures> {
  await using parts = new AsyncDisposableStack()
  const folder = makeTemporaryFolder()
  parts.defer(() => folder.remove())
  const url = process.env.EVENTSTORE_URL ?? (await ownDouble(parts))
  const streamPrefix = `bench-${randomBytes(4).toString('hex')}.`
  const store = await openEventStoreDb({ url, streamPrefix })
  const accounts = await seeded(store, accountCount)
  await store.close()

  const socketPath = join(folder.path, 'worker.sock')
  const worker = await startWorker(socketPath, OUTPUT_TOKENS)
  parts.defer(() => worker.stop())
  const environment = {
    EVENTSTORE_URL: url,
    SVC_EVENTSTORE_PREFIX: streamPrefix,
    SVC_WORKER_URLS: `unix:${socketPath}`,
    SVC_FIRST_RUN: 'empty',
    SVC_REQUEST_LOG: 'off',
  }
  const gateways: Pool[] = []
  for (let at = 0; at < GATEWAYS; at += 1) {
    const server = new ServerProcess(join(folder.path, `gateway-${at}`), environment, ['gateway'])
    parts.defer(async () => void (await server.stop()))
    const { baseUrl } = await server.ready()
    const pool = new Pool(new URL(baseUrl).origin, { connections: CLIENTS, pipelining: 1 })
    gateways.push(pool)
    parts.defer(() => pool.close())
  }

  const ofAccount: Balancer = (account) => account % GATEWAYS
  let turn = 0
  const ofTurn: Balancer = () => {
    turn += 1
    return turn % GATEWAYS
  }
  const found: Figures = {}
  for (const [name, some] of [
    ['one_account', accounts.slice(0, 1)],
    [`${accountCount}_accounts`, accounts],
  ] as const) {
    for (const [way, balancer] of [
      ['affinity', ofAccount],
      ['any_gateway', ofTurn],
    ] as const) {
      const calls = some.map(({ apiKey }) => callTo(apiKey))
      const run = (duration: number) => flood({ calls, gateways, balancer, seconds: duration })
      await run(WARM_UP_SECONDS)
      const { count, sortedMs } = await run(seconds)
      found[`${name}_${way}_requests_per_second`] = Math.round(count / seconds)
      found[`${name}_${way}_p50_ms`] = quantile(sortedMs, 0.5)
      found[`${name}_${way}_p99_ms`] = quantile(sortedMs, 0.99)
    }
  }
  return found
}

async function ownDouble(parts: AsyncDisposableStack): Promise<string> {
  const double = await startDouble()
  parts.defer(() => double.stop())
  return double.ready
}

async function seeded(store: EventStore, count: number): Promise<readonly SeededAccount[]> {
  const price = await seedPrice(store)
  const accounts: SeededAccount[] = []
  while (accounts.length < count) {
    const missing = Math.min(SEEDED_AT_ONCE, count - accounts.length)
    const some = Array.from({ length: missing }, () => seedAccount(store, price, 0))
    accounts.push(...(await Promise.all(some)))
  }
  return accounts
}

/** The pool that the call is made with says to which gateway. */
function callTo(apiKey: string): Call {
  const baseUrl = 'http://gateway/v1'
  const format = { format: 'chat', stream: false, outputTokens: OUTPUT_TOKENS } as const
  return callOf({ kind: 'gateway', ...format, baseUrl, apiKeys: [apiKey] })
}

interface Flood {
  readonly calls: readonly Call[]
  readonly gateways: readonly Pool[]
  readonly balancer: Balancer
  readonly seconds: number
}

/** Every client sends its next request when it has its answer. @throws when one fails */
async function flood({ calls, gateways, balancer, seconds }: Flood) {
  const latenciesMs: number[] = []
  const endMs = performance.now() + seconds * SECOND_MS
  const client = async (number: number) => {
    for (let at = number; performance.now() < endMs; at += CLIENTS) {
      const account = at % calls.length
      const [call, gateway] = [calls[account], gateways[balancer(account)]]
      if (call === undefined || gateway === undefined) throw new RangeError(`account ${account}`)
      const startMs = performance.now()
      await call(gateway, at)
      latenciesMs.push(performance.now() - startMs)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
  const sortedMs = latenciesMs.toSorted((one, other) => one - other)
  return { count: latenciesMs.length, sortedMs }
}

function quantile(sorted: readonly number[], share: number): number {
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  return Number((found ?? Number.NaN).toFixed(1))
}
