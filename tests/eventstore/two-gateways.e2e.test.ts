/**
 * Two gateways, each with a folder of its own, on one store: clients call both with the same keys
 * at the same time, so that the gateways lose races against each other all the while. No client
 * hears of it, and afterwards the books are in order. Both sign one log with one key.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCheckpoint } from '@svc/contracts/evidence/checkpoint'
import { readSignerKey, signerKeyText } from '@svc/contracts/evidence/signed-note'
import { verifyEvidence } from '@svc/contracts/evidence/verify-evidence'
import { Random } from '@svc/testing/random'
import { type RunningServer, startRunningServer } from '@svc/testing/running-server'
import { ScriptedWorker } from '@svc/testing/scripted-worker'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { Audit, asClientAnswer } from '../torture/audit.ts'
import { openCustomers } from '../torture/customers.ts'
import { type Customer, type LoadHistory, runLoad } from '../torture/load.ts'
import { newPrefix } from './server-story.ts'
import { type StoreUnderTest, startStoreUnderTest } from './store-under-test.ts'

const seed = Number(process.env.SVC_TEST_SEED ?? Date.now() % 1_000_000)
const CLIENTS_PER_GATEWAY = 16
const LOAD_MS = 4_000
/** Then a request is accepted, and nobody ends it. */
const DIES_BEFORE_A_DEBIT = { SVC_CRASH_POINT: 'settle.before:10' }
/**
 * For the test that waits until it is over. Nothing else depends on it: the other tests keep the
 * default of minutes, so that whatever hangs in them shows.
 */
const SHORT_DEADLINE = { SVC_REQUEST_DEADLINE_MS: '5000', SVC_SETTLING_ALLOWANCE_MS: '1000' }
/** Each look asks a whole server. */
const SELDOM = { interval: 250 }
const TEST_MS_MAX = 240_000
const EVIDENCE_FILES = 4
const EVIDENCE_KEY = signerKeyText('svc/shared', Buffer.alloc(32, 9))
const { verifier } = readSignerKey(EVIDENCE_KEY)

let store: StoreUnderTest
/** Each load has randomness of its own, so that no key is sent twice. */
let loads = 0
let environment: Record<string, string>

beforeEach(async () => {
  store = await startStoreUnderTest(seed)
  const folder = mkdtempSync(join(tmpdir(), 'svc-two-gateways-'))
  const socketPath = join(folder, 'worker.sock')
  const worker = new ScriptedWorker({ socketPath, script: { tokens: 16, delayMs: 2 } }, false)
  await worker.listen()
  onTestFinished(async () => {
    await worker.close()
    rmSync(folder, { recursive: true })
  })
  environment = {
    EVENTSTORE_URL: store.url,
    SVC_EVENTSTORE_PREFIX: newPrefix(),
    SVC_WORKER_URLS: `unix:${socketPath}`,
    // What the log says then is of the gateways themselves, and should be nothing.
    SVC_REQUEST_LOG: 'off',
    SVC_EVIDENCE_KEY: EVIDENCE_KEY,
  }
})
afterEach(() => store.stop())

function newHistory(): LoadHistory {
  return { told: [], unanswered: [], statuses: new Map() }
}

/** Clients of both gateways, until the signal. */
async function loadOn(
  servers: readonly RunningServer[],
  customers: readonly Customer[],
  signal: AbortSignal,
): Promise<readonly LoadHistory[]> {
  const loading = servers.map(async ({ ready }) => {
    const history = newHistory()
    loads += 1
    const random = new Random(seed + loads)
    const { baseUrl } = ready
    await runLoad({ baseUrl, customers, clients: CLIENTS_PER_GATEWAY, random, history, signal })
    return history
  })
  return Promise.all(loading)
}

/** What a customer is given by one gateway, with the checkpoint that the other has shown before. */
async function expectOneLog(servers: readonly RunningServer[], customer: Customer): Promise<void> {
  let known = ''
  let size = 0
  for (let turn = 0; turn < EVIDENCE_FILES; turn += 1) {
    const [asked, other] = turn % 2 === 0 ? servers : servers.toReversed()
    const file = await evidenceOf(asked, customer, size)
    const checkpoint = known === '' ? {} : { checkpoint: known }
    const verdict = await verifyEvidence([Buffer.from(file)], { key: verifier.text, ...checkpoint })
    expect(verdict).toMatchObject({ verdict: 'ok', first_broken: null })
    known = await (await fetch(`${other?.ready.baseUrl}/evidence/checkpoint`)).text()
    const last = openCheckpoint(known, [verifier])
    expect(last.size).toBeGreaterThanOrEqual(size)
    size = last.size
  }
}

async function evidenceOf(
  server: RunningServer | undefined,
  { apiKey }: Customer,
  since: number,
): Promise<string> {
  const url = `${server?.ready.baseUrl}/v1/evidence?since=${since}`
  for (;;) {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } })
    const text = await answer.text()
    if (answer.status === 200) return text
    // Its tree has not come to what the other gateway has signed: it says to ask again.
    expect(text).toContain('view_behind')
  }
}

function toldIn(histories: readonly LoadHistory[]) {
  return histories.flatMap(({ told }) => told.map(asClientAnswer))
}

test(
  `no client of two gateways hears of their races, and the books are in order (seed ${seed})`,
  async () => {
    const servers = await Promise.all([1, 2].map(() => startRunningServer(environment)))
    const [one, two] = servers as [RunningServer, RunningServer]
    const customers = await openCustomers(one.operations)
    const loading = loadOn(servers, customers, AbortSignal.timeout(LOAD_MS))
    await expectOneLog(servers, customers[0] as Customer)
    const histories = await loading
    await expectOneLog(servers, customers[0] as Customer)
    for (const { statuses, told } of histories) {
      expect([...statuses.keys()].filter(isNoAnswer)).toEqual([])
      expect(told.length).toBeGreaterThan(CLIENTS_PER_GATEWAY)
    }
    const told = toldIn(histories)
    for (const { operations } of [one, two]) {
      expect(await new Audit().check(operations, told)).toEqual([])
    }
    for (const { process } of servers) {
      expect(process.stderr).toBe('')
      expect(await process.stop()).toEqual({ code: 0, signal: null })
    }
  },
  TEST_MS_MAX,
)

/** A gateway that is killed under load, beside one that lives on; the clients of both. */
async function killBeside(
  living: RunningServer,
  customers: readonly Customer[],
  settings: Readonly<Record<string, string>>,
  dataDir: string,
): Promise<{ readonly load: Promise<readonly LoadHistory[]> }> {
  const victim = await startRunningServer({ ...settings, ...DIES_BEFORE_A_DEBIT }, dataDir)
  const ended = new AbortController()
  const load = loadOn([living, victim], customers, ended.signal)
  await victim.process.exited
  ended.abort()
  return { load }
}

/** @returns what the clients of both were told */
async function whatWasTold(load: Promise<readonly LoadHistory[]>) {
  const [ofLiving = newHistory(), ofVictim = newHistory()] = await load
  expect([...ofLiving.statuses.keys()].filter(isNoAnswer)).toEqual([])
  return toldIn([ofLiving, ofVictim])
}

test(
  `what killed gateways left open their next start ends at once (seed ${seed})`,
  async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const living = await startRunningServer(environment)
    const customers = await openCustomers(living.operations)
    const first = await killBeside(living, customers, environment, dataDir)
    const second = await killBeside(living, customers, environment, dataDir)
    // What the dead hold, clients of the living one wait for: the next start helps them.
    const next = await startRunningServer(environment, dataDir)
    await expect.poll(() => openRequests(next), SELDOM).toBe(0)
    expect(new Set(await whyAbandoned(living))).toEqual(new Set(['gateway_gone']))
    const told = [...(await whatWasTold(first.load)), ...(await whatWasTold(second.load))]
    expect(await new Audit().check(living.operations, told)).toEqual([])
    for (const { process } of [next, living]) {
      expect(await process.stop()).toEqual({ code: 0, signal: null })
    }
  },
  TEST_MS_MAX,
)

test(
  `what a killed gateway left open another one ends after its deadline (seed ${seed})`,
  async () => {
    const settings = { ...environment, ...SHORT_DEADLINE }
    const living = await startRunningServer(settings)
    const customers = await openCustomers(living.operations)
    const dataDir = join(temporaryFolder(), 'data')
    const { load } = await killBeside(living, customers, settings, dataDir)
    const told = await whatWasTold(load)
    await expect.poll(() => openRequests(living), SELDOM).toBe(0)
    // Until its deadline it might have been at work, for all that the other one knew.
    expect(new Set(await whyAbandoned(living))).toEqual(new Set(['deadline_passed']))
    expect(await new Audit().check(living.operations, told)).toEqual([])
    expect(await living.process.stop()).toEqual({ code: 0, signal: null })
  },
  TEST_MS_MAX,
)

test('a price is set right when no other gateway can accept requests at it any more', async () => {
  const { operations, process } = await startRunningServer(environment)
  const [wrong] = await operations.listPrices()
  const right = { input: '0.02', cached_input: '0.01', output: '0.03' }
  const price = { model: 'svc-beta', ...right, effective_from: null, confirm: true }
  const { effective_from } = await operations.publishPrice(price)
  const version = wrong?.version ?? ''
  const asked = { version, ...right, reason: 'a slip', idempotency_key: 'run' }
  const run = async (terms: { to?: string; dry_run?: boolean } = {}) => {
    const lines: unknown[] = []
    for await (const line of operations.correctPrice({ ...asked, ...terms })) lines.push(line)
    return lines
  }
  await expect(run()).rejects.toMatchObject({ code: 'conflict', param: 'to' })
  expect((await run({ dry_run: true })).at(-1)).toMatchObject({ type: 'result' })
  await expect(run({ to: effective_from })).rejects.toMatchObject({ code: 'conflict', param: 'to' })
  expect(await process.stop()).toEqual({ code: 0, signal: null })
})

/** As far as the views have followed the log to its end. */
async function openRequests({
  operations,
}: RunningServer): Promise<number | null | 'not known yet'> {
  const { open_requests: open, projections } = await operations.status()
  return projections.every(({ position, head }) => position === head) ? open : 'not known yet'
}

/** The reasons, in the order of the log. */
async function whyAbandoned({ operations }: RunningServer): Promise<readonly unknown[]> {
  const { events } = await operations.listEvents({ type: 'RequestAbandoned', limit: 1_000 })
  return events.map(({ data }) => (data as { reason?: unknown }).reason)
}

function isNoAnswer(status: number | 'broken'): boolean {
  return status !== 200 && status !== 402
}
