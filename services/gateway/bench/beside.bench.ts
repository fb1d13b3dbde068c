/**
 * What an operator's long questions cost the customers meanwhile: paid requests at a calm pace, in
 * turn without and beside each question, asked over and over.
 *
 *     npm run bench:beside -- [--events 1000000] [--seconds 20] [--only verify,rebuild-accounts]
 *                             [--flood] [--json]
 *
 *     NAME_p99_ms, NAME_p99_ratio   of the requests beside the question, and by how much that is
 *                                   more than without (the mean of just before and just after)
 *     NAME_livez_max_ms             the slowest answer of `/livez` beside it
 *     NAME_seconds                  how long one question took beside the requests
 *
 * With `--flood` the requests come as fast as 16 connections get answers.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOptions } from '@svc/testing/read-options'
import { LivenessProbe } from './liveness.ts'
import type { GatewayTarget, LoadResult } from './load-plan.ts'
import { runLoad, startServer, startWorker } from './processes.ts'
import { type LongQuestion, longQuestions } from './questions.ts'
import { type SeededAccount, seedAccount } from './seed-log.ts'
import { seedLog, untilCaughtUp } from './seeded-server.ts'

const OUTPUT_TOKENS = 32
const CONNECTIONS = 16
const CALM_REQUESTS_PER_SECOND = 50
const OTHER_ACCOUNTS = 2_000

const values = readOptions({
  events: { type: 'string', default: '1000000' },
  seconds: { type: 'string', default: '20' },
  only: { type: 'string' },
  flood: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
})
const seconds = Number(values.seconds)

const say = (line: string) => process.stdout.write(`${line}\n`)
const rounded = (value: number) => Math.round(value * 100) / 100

const [load = 0] = loadavg()
say(`${availableParallelism()} cores, load ${load.toFixed(1)}: other work makes every figure worse`)

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-beside-'))
try {
  const figures = await measure(folder)
  if (values.json) say(JSON.stringify(figures))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measure(data: string): Promise<Record<string, number>> {
  say(`seeding ${values.events} events …`)
  const { busy, long } = await seed(data)
  const socketPath = join(data, 'worker.sock')
  await using services = new AsyncDisposableStack()
  const worker = await startWorker(socketPath, OUTPUT_TOKENS)
  services.defer(() => worker.stop())
  const server = await startServer(data, socketPath)
  services.defer(() => server.stop())
  const baseUrl = server.ready
  const figures: Record<string, number> = {}
  const target: GatewayTarget = {
    kind: 'gateway',
    format: 'chat',
    baseUrl,
    apiKeys: [busy.apiKey],
    stream: false,
    outputTokens: OUTPUT_TOKENS,
  }
  // The views are built for the first time just now: also a question, which nobody asked.
  await tell(figures, 'first-build', await besideFirstBuild(target, busy))
  await pay(target)
  for (const question of longQuestions(baseUrl, long)) {
    if (values.only !== undefined && !values.only.split(',').includes(question.name)) continue
    const before = await pay(target)
    const beside = await besideQuestion(target, question)
    const after = await pay(target)
    await tell(figures, question.name, beside, (before.p99Ms + after.p99Ms) / 2)
  }
  return figures
}

function seed(data: string): Promise<{ busy: SeededAccount; long: SeededAccount }> {
  return seedLog(data, async (store, price) => {
    const busy = await seedAccount(store, price, 0)
    for (let made = 0; made < OTHER_ACCOUNTS; made += 1) await seedAccount(store, price, 3)
    return { busy, long: await seedAccount(store, price, Number(values.events)) }
  })
}

function pay(target: GatewayTarget): Promise<LoadResult> {
  const pace = values.flood ? {} : { requestsPerSecond: CALM_REQUESTS_PER_SECOND }
  return runLoad({ target, connections: CONNECTIONS, seconds, ...pace })
}

interface Beside extends LoadResult {
  readonly livezMaxMs: number
  /** Of one question. */
  readonly questionSeconds: number
}

async function besideQuestion(target: GatewayTarget, question: LongQuestion): Promise<Beside> {
  const probe = new LivenessProbe(target.baseUrl)
  const asked = { isOver: false, times: 0 }
  const startMs = performance.now()
  const asking = (async () => {
    for (; !asked.isOver; asked.times += 1) await question.ask()
    return (performance.now() - startMs) / 1_000 / asked.times
  })()
  const paid = await pay(target)
  asked.isOver = true
  const questionSeconds = await asking
  return { ...paid, livezMaxMs: await probe.stop(), questionSeconds }
}

async function besideFirstBuild(target: GatewayTarget, busy: SeededAccount): Promise<Beside> {
  const probe = new LivenessProbe(target.baseUrl)
  const startMs = performance.now()
  const building = untilCaughtUp(target.baseUrl, [busy]).then(
    () => (performance.now() - startMs) / 1_000,
  )
  const paid = await pay(target)
  const questionSeconds = await building
  return { ...paid, livezMaxMs: await probe.stop(), questionSeconds }
}

async function tell(
  figures: Record<string, number>,
  question: string,
  { p50Ms, p99Ms, livezMaxMs, questionSeconds }: Beside,
  aloneP99Ms?: number,
): Promise<void> {
  const name = question.replaceAll('-', '_')
  const told = {
    [`${name}_p50_ms`]: rounded(p50Ms),
    [`${name}_p99_ms`]: rounded(p99Ms),
    ...(aloneP99Ms === undefined
      ? {}
      : {
          [`${name}_p99_alone_ms`]: rounded(aloneP99Ms),
          [`${name}_p99_ratio`]: rounded(p99Ms / aloneP99Ms),
        }),
    [`${name}_livez_max_ms`]: rounded(livezMaxMs),
    [`${name}_seconds`]: rounded(questionSeconds),
  }
  for (const [figure, value] of Object.entries(told)) say(`${figure.padEnd(44)} ${value}`)
  Object.assign(figures, told)
}
