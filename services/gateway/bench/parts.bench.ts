/**
 * What two parts of the way of a request cost: the evidence (the tree of all events, and its signed
 * checkpoints) in requests/s, and the exact cost in an answer by how long that waits for its debit.
 *
 *     npm run bench:parts -- [--seconds 8] [--rounds 6] [--json]
 *
 * Two servers that differ in their evidence alone are loaded in turn, so that both see the same
 * machine. On a machine with other work the processor time of the server says more than the clock.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOptions } from '@svc/testing/read-options'
import type { GatewayTarget } from './load-plan.ts'
import { runLoad, type Service, startServer, startWorker } from './processes.ts'
import { type SeededAccount, seedAccount } from './seed-log.ts'
import { seedLog, untilCaughtUp } from './seeded-server.ts'

const CONNECTIONS = 64
const OUTPUT_TOKENS = 32
const CALM_REQUESTS_PER_SECOND = 50
const WARM_UP_SECONDS = 3
const HISTORY_EVENTS = 20_000
const OPERATOR_TOKEN = 'bench'

const values = readOptions({
  seconds: { type: 'string', default: '8' },
  rounds: { type: 'string', default: '6' },
  json: { type: 'boolean', default: false },
})
const seconds = Number(values.seconds)
const rounds = Number(values.rounds)

const say = (line: string) => process.stdout.write(`${line}\n`)
const rounded = (value: number) => Math.round(value * 1000) / 1000

const [load = 0] = loadavg()
say(`${availableParallelism()} cores, load ${load.toFixed(1)}: other work makes every figure worse`)

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-parts-'))
try {
  const figures = { ...(await throughputs(folder)), ...(await settleWaits(folder)) }
  for (const [name, value] of Object.entries(figures)) say(`${name.padEnd(44)} ${value}`)
  if (values.json) say(JSON.stringify(figures))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

interface Seeded {
  readonly data: string
  readonly account: SeededAccount
}

async function seeded(name: string): Promise<Seeded> {
  const data = join(folder, name)
  mkdirSync(data)
  const account = await seedLog(data, (store, price) => seedAccount(store, price, HISTORY_EVENTS))
  return { data, account }
}

async function throughputs(shared: string): Promise<Record<string, number>> {
  const socketPath = join(shared, 'worker.sock')
  await using services = new AsyncDisposableStack()
  const worker = await startWorker(socketPath, OUTPUT_TOKENS)
  services.defer(() => worker.stop())
  const servers = new Map<string, { readonly server: Service; readonly target: GatewayTarget }>()
  for (const name of ['evidence', 'no-evidence']) {
    const { data, account } = await seeded(name)
    const server = await startServer(data, socketPath, [], [OPERATOR_TOKEN, name])
    services.defer(() => server.stop())
    if (name === 'evidence') await untilCaughtUp(server.ready, [account])
    const target = targetOf(server.ready, account)
    await runLoad({ target, connections: CONNECTIONS, seconds: WARM_UP_SECONDS })
    servers.set(name, { server, target })
  }
  const perSecond = { evidence: [] as number[], 'no-evidence': [] as number[] }
  const processorUs = { evidence: [] as number[], 'no-evidence': [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    const names = ['evidence', 'no-evidence'] as const
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const { server, target } = servers.get(name) ?? never()
      const before = server.processorUs()
      const run = await runLoad({ target, connections: CONNECTIONS, seconds })
      perSecond[name].push(run.requestsPerSecond)
      processorUs[name].push((server.processorUs() - before) / run.requests)
    }
  }
  const [busy, idle] = [median(processorUs.evidence), median(processorUs['no-evidence'])]
  return {
    evidence_requests_per_s: rounded(median(perSecond.evidence)),
    no_evidence_requests_per_s: rounded(median(perSecond['no-evidence'])),
    evidence_cpu_us_per_request: rounded(busy),
    no_evidence_cpu_us_per_request: rounded(idle),
    evidence_cost_percent: rounded((1 - ratioOf(perSecond)) * 100),
    evidence_cpu_cost_percent: rounded((1 - 1 / ratioOf(processorUs)) * 100),
  }
}

/** The median of what each round says of the two, which saw the same machine. */
function ratioOf(figures: {
  readonly evidence: number[]
  readonly 'no-evidence': number[]
}): number {
  return median(figures.evidence.map((value, at) => value / (figures['no-evidence'][at] ?? 0)))
}

function never(): never {
  throw new Error('there is no such server')
}

/** At a calm pace: how long whole answers, and ends of streams, wait until their cost is known. */
async function settleWaits(shared: string): Promise<Record<string, number>> {
  const socketPath = join(shared, 'calm-worker.sock')
  await using services = new AsyncDisposableStack()
  const worker = await startWorker(socketPath, OUTPUT_TOKENS)
  services.defer(() => worker.stop())
  const { data, account } = await seeded('calm')
  const server = await startServer(data, socketPath)
  const calm = { connections: CONNECTIONS, requestsPerSecond: CALM_REQUESTS_PER_SECOND, seconds }
  const { p50Ms, p99Ms } = await runLoad({ target: targetOf(server.ready, account), ...calm })
  await server.stop()
  const waits = JSON.parse(readFileSync(join(data, 'settle-waits.json'), 'utf8')) as number[]
  const sorted = waits.toSorted((one, other) => one - other)
  return {
    answer_p50_ms: rounded(p50Ms),
    answer_p99_ms: rounded(p99Ms),
    waits_for_cost_p50_ms: rounded(median(sorted)),
    waits_for_cost_p99_ms: rounded(sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN),
  }
}

function targetOf(baseUrl: string, { apiKey }: SeededAccount): GatewayTarget {
  const asked = { stream: false, outputTokens: OUTPUT_TOKENS } as const
  return { kind: 'gateway', format: 'chat', baseUrl, apiKeys: [apiKey], ...asked }
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
