/**
 * One lane of the kill test: a data folder that lives through round after round.
 *
 *     start → audit the round before → load → kill → start …
 *
 * After a number of rounds the folder is given up and a new one begun, so that first starts are
 * killed as well and logs stay short enough to be checked whole every time.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Operations } from '@svc/contracts/admin/operations'
import { createRemoteOperations } from '@svc/operator/remote/remote-operations'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import type { ClientAnswer } from '@svc/testing/checker/history'
import type { Random } from '@svc/testing/random'
import { type ReadyLine, ServerProcess } from '@svc/testing/server-process'
import { Audit, asClientAnswer } from './audit.ts'
import { openCustomers } from './customers.ts'
import type { KillPlan, KillPlans } from './kill-plan.ts'
import { type LaneStore, openLaneStore, type StoreKind } from './lane-store.ts'
import { type Customer, type LoadHistory, runLoad } from './load.ts'

const ROUNDS_PER_FOLDER = 12
const CLIENTS = 16
/** One that was killed while it was asked something is gone by then. */
const DEATH_TIMEOUT_MS = 5_000
/** A place that was not reached by then will not be, on a busy machine either. */
const POINT_TIMEOUT_MS = 6_000
const LOAD_BEFORE_STOP_MS = 250
const SEEDS = 2 ** 31
/** Of the rounds with a random kill: the store dies as well, before it or after it. */
const SHARE_STORE_DIES = 0.3
const STORE_DIES_WITHIN_MS = 500
const STORE_AWAY_MS_MAX = 300
/** Of a log line: the server says why it ends. */
const FATAL = 60

export interface LaneOptions {
  readonly store: StoreKind
  readonly random: Random
  readonly plans: KillPlans
  readonly environment: Readonly<Record<string, string>>
  readonly report: (result: RoundResult) => void
}

export interface RoundResult {
  readonly round: number
  readonly plan: KillPlan
  /** Whether the server died where the plan wanted it. */
  readonly asPlanned: boolean
  /** Answers that clients had read to their end when the server died. */
  readonly told: number
  readonly statuses: ReadonlyMap<number | 'broken', number>
  /** Found at the start after the kill of the round before. */
  readonly problems: readonly string[]
}

export class Lane {
  readonly #options: LaneOptions
  #folder = ''
  #store: LaneStore | undefined
  #roundsInFolder = 0
  #audit = new Audit()
  #history: ClientAnswer[] = []
  #unanswered: LoadHistory['unanswered'] = []
  #customers: readonly Customer[] = []

  constructor(options: LaneOptions) {
    this.#options = options
  }

  async round(round: number): Promise<void> {
    const { random, plans } = this.#options
    const plan = plans.next(round, random)
    const server = await this.#start({
      ...(plan.kind === 'point' ? { SVC_CRASH_POINT: `${plan.point}:${plan.pass}` } : {}),
    })

    const startTimer =
      plan.kind === 'random' && plan.since === 'start'
        ? setTimeout(() => server.kill('SIGKILL'), plan.afterMs)
        : undefined
    const storeDied = plan.kind === 'random' ? this.#killStore() : undefined
    const load = newHistory(this.#unanswered)
    const problems = await this.#live(server, plan, load)
    clearTimeout(startTimer)
    server.kill('SIGKILL')
    const { signal } = await server.exited
    await storeDied
    this.#history.push(...load.told.map(asClientAnswer))
    const asPlanned = signal === 'SIGKILL' && load.asPlanned
    plans.ended(plan, asPlanned)
    this.#options.report({
      round,
      plan,
      asPlanned,
      told: load.told.length,
      statuses: load.statuses,
      problems,
    })
    this.#roundsInFolder += 1
    if (this.#roundsInFolder === ROUNDS_PER_FOLDER) await this.finish()
  }

  /** Starts once more, in peace, audits, stops in order, and gives the folder up. */
  async finish(): Promise<void> {
    const server = await this.#start()
    const ready = await server.ready()
    const problems = await this.#audit.check(this.#operations(ready), this.#history)
    const { code } = await server.stop()
    if (code !== 0) problems.push(`an orderly stop ended with ${code}: ${server.stderr}`)
    if (problems.length > 0) throw new Error(problems.join('\n'))
    await this.#giveUpFolder()
  }

  async #start(environment: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    this.#store ??= await this.#newFolder()
    return new ServerProcess(this.#folder, {
      ...this.#options.environment,
      ...this.#store.environment,
      ...environment,
    })
  }

  /** From the start of a server to its death. @returns what the audit found */
  async #live(server: ServerProcess, plan: KillPlan, load: RunningHistory): Promise<string[]> {
    const dead = new AbortController()
    void server.exited.then(() => dead.abort())
    try {
      const ready = await server.ready()
      const operations = this.#operations(ready)
      const problems = await this.#audit.check(operations, this.#history)
      if (this.#customers.length === 0) this.#customers = await openCustomers(operations)
      const loading = runLoad({
        baseUrl: ready.baseUrl,
        customers: this.#customers,
        clients: CLIENTS,
        random: this.#options.random,
        history: load,
        signal: dead.signal,
      })
      load.asPlanned = await dieAsPlanned(server, plan)
      await loading
      return problems
    } catch (error) {
      // Killed while it started, or while it was asked: the next start is the one that has to be
      // right. Nobody kills it a second time: one that lives on has failed.
      const isDead = await Promise.race([
        server.exited.then(() => true),
        pause(DEATH_TIMEOUT_MS).then(() => false),
      ])
      if (!isDead) return [`${error}, and it lives: ${server.stderr}`]
      const complaints = server.stderr.split('\n').filter(isComplaint)
      return complaints.length === 0 ? [] : [`${error}: ${complaints.join('\n')}`]
    }
  }

  async #killStore(): Promise<void> {
    const { random } = this.#options
    const isSpared = random.next() >= SHARE_STORE_DIES
    const afterMs = random.integer(STORE_DIES_WITHIN_MS)
    const awayMs = random.integer(STORE_AWAY_MS_MAX)
    if (isSpared || this.#store?.die === undefined) return
    await pause(afterMs)
    await this.#store.die(awayMs)
  }

  #operations({ baseUrl, dataDir }: ReadyLine): Operations {
    const secrets = new DataFolder(dataDir).readSecrets()
    if (secrets === undefined) throw new Error(`${dataDir} has no secrets`)
    const signal = AbortSignal.timeout(60_000)
    return createRemoteOperations({ baseUrl, operatorToken: secrets.operatorToken, signal })
  }

  /** @returns the store of its events */
  async #newFolder(): Promise<LaneStore> {
    this.#folder = join(mkdtempSync(join(tmpdir(), 'svc-torture-')), 'data')
    this.#roundsInFolder = 0
    this.#audit = new Audit()
    this.#history = []
    this.#unanswered = []
    this.#customers = []
    const { store, random } = this.#options
    return openLaneStore(store, random.integer(SEEDS))
  }

  async #giveUpFolder(): Promise<void> {
    await this.#store?.close()
    this.#store = undefined
    rmSync(join(this.#folder, '..'), { recursive: true, force: true })
  }
}

type RunningHistory = LoadHistory & { asPlanned: boolean }

function newHistory(unanswered: LoadHistory['unanswered']): RunningHistory {
  return { told: [], unanswered, statuses: new Map(), asPlanned: true }
}

/** @returns whether it was the planned death */
async function dieAsPlanned(server: ServerProcess, plan: KillPlan): Promise<boolean> {
  if (plan.kind === 'random') {
    if (plan.since === 'load') await Promise.race([server.exited, pause(plan.afterMs)])
    if (plan.since === 'load') server.kill('SIGKILL')
    await server.exited
    return true
  }
  if (plan.whileStopping) {
    await Promise.race([server.exited, pause(LOAD_BEFORE_STOP_MS)])
    server.kill('SIGTERM')
  }
  const reached = await Promise.race([
    server.exited.then(({ signal }) => signal === 'SIGKILL'),
    pause(POINT_TIMEOUT_MS).then(() => false),
  ])
  server.kill('SIGKILL')
  await server.exited
  return reached
}

/** What a server logs while its store is away is no complaint; that it ends is one. */
function isComplaint(line: string): boolean {
  if (line.trim() === '') return false
  if (!line.startsWith('{')) return true
  const { level } = JSON.parse(line) as { level?: number }
  return level === undefined || level >= FATAL
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
