/**
 * A gateway: the real ledger, its Idempotency-Keys, its sweeper and its top-ups, around the life of
 * a request. That life is told in the order of the product's own `request/life.ts`, without HTTP:
 *
 *     enter the key → accept → generate → acceptance durable → settle → record → answer
 */
import { hash } from 'node:crypto'
import { ServiceError } from '@svc/contracts/errors'
import type { TokenCounts } from '@svc/contracts/tokens'
import {
  Idempotency,
  type IdempotencyClaim,
  type IdempotencyEntry,
} from '@svc/gateway/request/idempotency'
import { type RunToSettle, settleRun } from '@svc/gateway/request/settle'
import { MemoryBus } from '@svc/infra/bus/memory/memory-bus'
import type { Accepted, Ledger, Settled } from '@svc/ledger/ledger'
import { type RunningQuery, Sweeper } from '@svc/ledger/sweeper'
import {
  grantOperation,
  previewGrantOperation,
} from '@svc/operator/operations/credit/grant-operation'
import { TopUps } from '@svc/relay/top-ups'
import { meter } from '@svc/testing/ledger/sample'
import type { SimulatedProcess } from '../surroundings/simulated-process.ts'
import { MODEL, TOP_UP_GROUP, TOP_UP_TOPIC, type World } from '../world.ts'
import type { Call } from './call.ts'

const ENDS_WITHIN_MS = 4_000
const TOKEN_MS = 9
const PREFILL_MS = 15
/** Until the group of consumers takes a dead one's share. */
const SESSION_MS = 400
const DEFECT = 500

const quiet = { error() {}, warn() {}, info() {} }

export interface GatewayOptions {
  readonly world: World
  readonly process: SimulatedProcess
  readonly ledger: Ledger
  readonly gatewayId: string
  readonly isGone: (gatewayId: string) => boolean
}

export class SimulatedGateway {
  readonly ledger: Ledger
  readonly process: SimulatedProcess
  readonly #world: World
  readonly #idempotency: Idempotency
  readonly #calls = new Set<Call>()

  constructor({ world, process, ledger, gatewayId, isGone }: GatewayOptions) {
    this.ledger = ledger
    this.process = process
    this.#world = world
    const { clock, timer, reach } = process
    const recordedAnswers = this.#recordedAnswers()
    this.#idempotency = new Idempotency({
      ledger,
      recordedAnswers,
      clock,
      steadyClock: clock,
      timer,
      reach,
      logger: quiet,
    })
    this.#sweep({ gatewayId, isGone })
    this.#takeTopUps()
    process.onDeath(() => {
      for (const call of this.#calls) call.breakOff(false)
    })
  }

  async serve(call: Call): Promise<void> {
    this.#calls.add(call)
    await this.process.ask(async () => {})
    const requestId = this.ledger.newRequestId()
    call.requestId = requestId
    try {
      await this.#liveOrReplay(requestId, call)
    } catch (cause) {
      const status = cause instanceof ServiceError ? cause.entry.status : DEFECT
      if (status === DEFECT && cause !== call.gone.reason) this.#noteDefect(cause)
      this.#reply(call, { requestId, status: call.hasBegun ? 200 : status, usage: null })
    }
    this.#calls.delete(call)
  }

  /** Has the ledger do something for an operator. @returns undefined when no answer came */
  async operate<Answer>(work: (ledger: Ledger) => Promise<Answer>): Promise<Answer | undefined> {
    const { time, network } = this.#world
    await time.wait(network.delayMs())
    if (!this.process.isAlive) return undefined
    const died = new Promise<undefined>((resolve) => {
      this.process.onDeath(() => resolve(undefined))
    })
    const done = work(this.ledger).catch((cause: unknown) => {
      if (!(cause instanceof ServiceError) || cause.code === 'internal_error') {
        this.#noteDefect(cause)
      }
      return undefined
    })
    const answer = await Promise.race([done, died])
    await time.wait(network.delayMs())
    return network.loses() ? undefined : answer
  }

  async #liveOrReplay(requestId: string, call: Call): Promise<void> {
    const { accountId } = call.asked
    const claim = claimOf(call)
    const entry = await this.#idempotency.enter(accountId, claim, call.gone)
    if (entry.kind === 'replay') return this.#replay(call, entry)
    try {
      await this.#live(requestId, call, claim)
    } catch (cause) {
      const earlier = await this.#idempotency.answeredElsewhere(accountId, claim, cause)
      if (earlier === undefined) throw cause
      this.#replay(call, earlier)
    } finally {
      entry.leave()
    }
  }

  async #live(requestId: string, call: Call, claim: IdempotencyClaim | null): Promise<void> {
    const { accountId, keyId, promptTokens, maxOutputTokens } = call.asked
    const accepted = await this.ledger.accept(
      accountId,
      {
        requestId,
        keyId,
        promptTokens,
        maxOutputTokens,
        idempotency: claim?.logged ?? null,
        format: 'chat',
        model: MODEL,
        endsWithinMs: ENDS_WITHIN_MS,
      },
      call.gone,
    )
    let isBegun = false
    if (call.asked.isStreamed) {
      const begin = (): void => {
        isBegun = true
        this.#send(() => {
          call.hasBegun = true
        })
      }
      accepted.durable.then(begin, () => {})
    }
    const cost = await this.#generate(call, accepted, () => isBegun)
    await accepted.durable
    const settled = await this.#settle({ accountId, requestId, cost, deadline: accepted.deadline })
    if (settled === undefined) throw new ServiceError('worker_failed', 'The worker failed.')
    const usage = usageOf(settled)
    if (claim !== null) {
      const answer = { contentType: 'application/json', body: JSON.stringify(usage) }
      await this.#idempotency.record(accountId, requestId, answer)
    }
    this.#reply(call, { requestId, status: 200, usage })
  }

  /** The worker, in a process of its own. */
  async #generate(
    { asked, gone }: Call,
    { requestId, maxOutputTokens }: Accepted,
    isBegun: () => boolean,
  ): Promise<RunToSettle['cost']> {
    const { time, random, plan, notes } = this.#world
    const wanted = Math.min(asked.outputTokens, maxOutputTokens)
    const isBroken = random.next() < plan.brokenRuns
    const half = Math.floor(wanted / 2)
    await this.process.ask(() => time.wait(PREFILL_MS + half * TOKEN_MS))
    const isCut = isBroken || gone.aborted
    if (!isCut) await this.process.ask(() => time.wait((wanted - half) * TOKEN_MS))
    const counts = {
      inputTokens: asked.promptTokens - asked.cachedTokens,
      cachedInputTokens: asked.cachedTokens,
      outputTokens: isCut ? half : wanted,
    }
    notes.computed.set(requestId, counts)
    const settle = { kind: 'settle', meter: meter(counts), failure: null } as const
    if (!isCut) return { ...settle, finishReason: 'stop', rule: 'metered' }
    if (!isBroken) return { ...settle, finishReason: 'cancelled', rule: 'metered_until_cancelled' }
    const reason = 'worker_failed'
    if (!isBegun() || half === 0) return { kind: 'fail', reason }
    const rule = 'delivered_before_failure'
    return { ...settle, finishReason: 'error', rule, failure: reason }
  }

  #settle(run: RunToSettle): Promise<Settled | undefined> {
    const { clock, timer, reach } = this.process
    const ports = {
      ledger: this.ledger,
      steadyClock: clock,
      timer,
      logger: quiet,
      warnings: quiet,
    }
    reach('settle.before')
    return settleRun(ports, run)
  }

  #replay(call: Call, { requestId, answer }: IdempotencyEntry & { kind: 'replay' }): void {
    const usage = JSON.parse(answer.body) as TokenCounts
    this.#reply(call, { requestId, status: 200, usage })
  }

  #reply(call: Call, reply: Parameters<Call['end']>[0]): void {
    this.#send(() => call.end(reply))
  }

  #send(arrive: () => void): void {
    const { time, network } = this.#world
    if (this.process.isAlive) time.after(network.delayMs(), arrive)
  }

  #noteDefect(cause: unknown): void {
    if (!this.process.isAlive) return
    this.#world.notes.defects.push(cause instanceof Error ? `${cause.stack}` : String(cause))
  }

  #recordedAnswers() {
    const { recordedAnswers, seams } = this.#world
    const shared = {
      save: (...answer: Parameters<typeof recordedAnswers.current.save>) =>
        this.process.ask(() => recordedAnswers.current.save(...answer)),
      load: (...asked: Parameters<typeof recordedAnswers.current.load>) =>
        this.process.ask(() => recordedAnswers.current.load(...asked)),
    }
    return seams.recordedAnswers?.(shared) ?? shared
  }

  #sweep({ gatewayId, isGone }: Pick<GatewayOptions, 'gatewayId' | 'isGone'>): void {
    const { rows, seams } = this.#world
    const { clock, timer, reach } = this.process
    const findRunning = (query: RunningQuery) => this.process.ask(async () => rows.find(query))
    const { ledger } = this
    // No credit of a simulated history expires.
    const findEndedGrants = () => ({ rows: [], next: undefined })
    const ends = { findRunning, findEndedGrants, isGone }
    const clocks = { clock, steadyClock: clock, longestRequestMs: ENDS_WITHIN_MS }
    const ports = { ledger, ...clocks, timer, gatewayId, reach, ...ends }
    new Sweeper(seams.sweeping?.(ports, ledger) ?? ports).start()
  }

  #takeTopUps(): void {
    const { cluster, time, atEnd } = this.#world
    const { timer } = this.process
    const bus = new MemoryBus(cluster, timer)
    const options = { bus, topic: TOP_UP_TOPIC, group: TOP_UP_GROUP, timer, log: quiet }
    const caller = { actor: 'top-ups' }
    new TopUps(options).start(
      grantOperation(this.ledger, caller),
      previewGrantOperation(this.ledger, caller),
    )
    this.process.onDeath(() => time.after(SESSION_MS, () => void bus.close()))
    atEnd(() => void bus.close())
  }
}

function claimOf({ asked: { idempotencyKey, body } }: Call): IdempotencyClaim | null {
  if (idempotencyKey === null) return null
  const bodyHash = hash('sha256', body, 'hex')
  const keyHash = hash('sha256', idempotencyKey, 'hex')
  return { logged: { keyHash, bodyHash }, formerBodyHash: bodyHash }
}

function usageOf({ lines }: Settled): TokenCounts {
  const [inputTokens = 0, cachedInputTokens = 0, outputTokens = 0] = lines.map(
    ({ tokens }) => tokens,
  )
  return { inputTokens, cachedInputTokens, outputTokens }
}
