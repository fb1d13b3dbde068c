/**
 * ONE inference request, from bytes to debit. Read it top-down, then the files of this folder in
 * the order in which it calls them:
 *
 *     parse → idempotency → prepare → accept → generate → cost → settle → ending → delivery
 *
 * (The caller was authenticated before the body was read.) Two rules give the order. The worker
 * starts as soon as the ledger has decided in memory, but nothing is sent before the acceptance is
 * durable. And the end of an answer leaves only when its debit is durable: what a client was told
 * is billed.
 */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import type { ObservedRequest } from '@svc/contracts/ports/request-observer'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { CountedWarnings } from '@svc/infra/system/counted-warnings'
import type { ThreadTurns } from '@svc/infra/turns/thread-turns'
import type { Accepted, Caller, Ledger, Settled } from '@svc/ledger/ledger'
import type { Logger } from 'pino'
import { asKeyRefusal } from '../admission/callers.ts'
import { type CreditPorts, requireCredit } from '../admission/credit.ts'
import type { PreparationTurns } from '../admission/preparation-turns.ts'
import { ClientGone, stoppedError } from '../admission/stop.ts'
import type { Place } from '../admission/visit.ts'
import type {
  InferenceFormat,
  InferenceRequest,
  ParsedInference,
} from '../formats/inference-request.ts'
import type { ClientConnection } from '../http/client-connection.ts'
import { asServiceError, identity } from '../http/error-response.ts'
import type { HttpLimits } from '../http/limits.ts'
import { readJsonObject } from '../http/request-body.ts'
import type { WorkerChoice } from '../routing/worker-pool.ts'
import { costOfRun, type EndedRun, isOverclaimed, isStoppedByService } from './cost.ts'
import type { Delivery } from './delivery.ts'
import { answerEnding, badEnding } from './ending.ts'
import { generateAnswer } from './generate.ts'
import {
  claimOf,
  type IdempotencyClaim,
  type Replay,
  type RequestIdempotency,
} from './idempotency.ts'
import { openDelivery } from './open-delivery.ts'
import { answerOptionsOf, outputLimit, type PreparedPrompt, preparePrompt } from './prepare.ts'
import { type SettlePorts, settleRun } from './settle.ts'
import { sendWhole } from './whole-answer.ts'

const PLAIN_WEIGHT = 1

export interface RequestLifePorts {
  readonly ledger: Pick<Ledger, 'accept'> & CreditPorts['ledger'] & SettlePorts['ledger']
  readonly workers: WorkerChoice & CreditPorts['workers']
  readonly preparations: Pick<PreparationTurns, 'inTurn'>
  /** Turns among accounts whose bodies are looked at, on the thread that serves all. */
  readonly bodyTurns: ThreadTurns
  /** Turns in the workers' queues by account, from 1 to 100; 1 for an account without an entry. */
  readonly tenantWeights?: ReadonlyMap<string, number> | undefined
  readonly idempotency: RequestIdempotency
  readonly clock: Clock
  readonly steadyClock: Clock
  readonly timer: Timer
  readonly reach: ReachCrashPoint
  readonly limits: HttpLimits
  readonly logger: Logger
  readonly warnings: CountedWarnings
}

/** One request as it arrived: its caller is known, its body has been read and not looked at. */
export interface Exchange {
  readonly requestId: string
  readonly caller: Caller
  readonly format: InferenceFormat
  /** The path that was called. */
  readonly route: string
  readonly body: Buffer
  readonly idempotencyKey: string | string[] | undefined
  readonly client: ClientConnection
  /** Others may use it while the request waits for credit. */
  readonly place: Place
  /** Whether the account had any credit when the request came. */
  readonly hasCredit: boolean
  readonly watched: ObservedRequest
}

/**
 * Answers the request, or rejects while it can still be answered with a status.
 *
 * @throws {ServiceError | ClientGone}
 */
export async function liveRequest(ports: RequestLifePorts, exchange: Exchange): Promise<void> {
  const { format, body, caller, requestId, route, idempotencyKey, place } = exchange
  const { accountId } = caller
  const { stop } = place
  const parsed = await ports.bodyTurns.run(accountId, () => {
    const stopped = stoppedError(stop.reason, requestId)
    if (stopped !== undefined) throw stopped
    const fields = readJsonObject(body, { depth: ports.limits.jsonDepth })
    return format.parse(fields, { requestId, accountId })
  })
  const claim = claimOf(idempotencyKey, route, body)
  const entry = await ports.idempotency.enter(accountId, claim, stop.signal)
  if (entry.kind === 'replay') return replay(exchange, entry)
  try {
    await new RequestLife(ports, exchange, parsed, claim).run()
  } catch (cause) {
    const earlier = await ports.idempotency.answeredElsewhere(accountId, claim, cause)
    if (earlier === undefined) throw cause
    replay(exchange, earlier)
  } finally {
    entry.leave()
  }
}

function replay({ client }: Exchange, { answer, requestId }: Replay): void {
  const replayed = { 'idempotent-replayed': 'true', ...identity(requestId) }
  const headers = { ...answer.costHeaders, ...replayed }
  sendWhole(client, headers, answer.contentType, answer.body)
}

class RequestLife {
  readonly #ports: RequestLifePorts
  readonly #exchange: Exchange
  readonly #parsed: ParsedInference
  readonly #claim: IdempotencyClaim | null

  constructor(
    ports: RequestLifePorts,
    exchange: Exchange,
    parsed: ParsedInference,
    claim: IdempotencyClaim | null,
  ) {
    this.#ports = ports
    this.#exchange = exchange
    this.#parsed = parsed
    this.#claim = claim
  }

  get #request(): InferenceRequest {
    return this.#parsed.request
  }

  async run(): Promise<void> {
    const { requestId, client, place, watched } = this.#exchange
    watched.named(this.#request.model)
    await this.#refuseWithoutCredit()
    const prepared = await this.#prepare()
    this.#refuseIfStopped()
    const accepted = await this.#accept(prepared)
    const durable = accepted.durable.then(
      () => true,
      () => {
        place.stop.stop('refused')
        return false
      },
    )
    const delivery = openDelivery(this.#ports, {
      client,
      parsed: this.#parsed,
      prepared,
      accepted,
      durable,
      recorded: this.#claim !== null,
    })
    try {
      const run = await this.#generate(prepared, accepted, delivery)
      // Rejects with the reason when the acceptance failed: then there is nothing to settle.
      await accepted.durable.catch((cause) => Promise.reject(asKeyRefusal(cause)))
      const settled = await this.#settle(run, accepted.deadline)
      await this.#answer(run, settled, delivery)
    } catch (cause) {
      if (cause instanceof ClientGone || !delivery.fail(asServiceError(cause))) throw cause
      watched.broke(asServiceError(cause))
      this.#ports.logger.warn({ requestId, err: cause }, 'stream to client failed')
    } finally {
      delivery.close()
    }
  }

  /**
   * Refuses a request without credit before anything is rendered, counted or compiled. A replayed
   * answer needs no credit.
   */
  async #refuseWithoutCredit(): Promise<void> {
    const { hasCredit, caller } = this.#exchange
    if (!hasCredit) await requireCredit(this.#ports, caller.accountId, this.#request.model)
  }

  async #prepare(): Promise<PreparedPrompt> {
    const { preparations } = this.#ports
    const { caller, place } = this.#exchange
    const { accountId } = caller
    try {
      const { signal } = place.stop
      return await preparations.inTurn(accountId, signal, () =>
        preparePrompt(this.#ports, accountId, this.#request, signal),
      )
    } catch (cause) {
      this.#refuseIfStopped()
      throw cause
    }
  }

  async #accept(prepared: PreparedPrompt): Promise<Accepted> {
    const { ledger, limits } = this.#ports
    const { caller, requestId, format, place } = this.#exchange
    const request = this.#request
    const accepted = {
      requestId,
      keyId: caller.keyId,
      format: format.name,
      model: request.model,
      onBundledModel: prepared.onBundledModel,
      promptTokens: prepared.tokens.length,
      maxOutputTokens: outputLimit(request, prepared, limits.defaultMaxOutputTokens),
      idempotency: this.#claim?.logged ?? null,
      endsWithinMs: limits.requestDeadlineMs + limits.settlingAllowanceMs,
    }
    try {
      return await place.aside(() => ledger.accept(caller.accountId, accepted, place.stop.signal))
    } catch (cause) {
      this.#refuseIfStopped()
      throw asKeyRefusal(cause)
    }
  }

  async #generate(
    prepared: PreparedPrompt,
    accepted: Accepted,
    delivery: Delivery,
  ): Promise<EndedRun> {
    const { timer, limits, tenantWeights } = this.#ports
    const { requestId, caller, place } = this.#exchange
    const { stop } = place
    const request = this.#request
    const cancelDeadline = timer.after(limits.requestDeadlineMs, () => stop.stop('timeout'))
    const running = generateAnswer(this.#ports, {
      request: {
        requestId,
        tenant: caller.accountId,
        weight: tenantWeights?.get(caller.accountId) ?? PLAIN_WEIGHT,
        tokens: prepared.tokens,
        fingerprint: prepared.fingerprint,
        thinking: request.thinking,
        plan: prepared.plan,
        maxOutputTokens: accepted.maxOutputTokens,
        ...answerOptionsOf(request),
        timeLimitMs: limits.requestDeadlineMs + limits.cancelWaitMs,
      },
      blocks: prepared.blocks,
      delivery,
      stopSignal: stop.signal,
      cancelWaitMs: limits.cancelWaitMs,
    })
    const { record, workerId } = await running.finally(cancelDeadline)
    // Nothing is charged for such a run: what waits for the acceptance would come for nothing.
    if (isStoppedByService(stop.reason) && !delivery.started) delivery.close()
    return {
      record,
      workerId,
      promptTokens: prepared.tokens.length,
      maxOutputTokens: accepted.maxOutputTokens,
      delivered: delivery.started,
      stopReason: stop.reason,
    }
  }

  async #settle(run: EndedRun, deadline: number): Promise<Settled | undefined> {
    const { reach, logger } = this.#ports
    const { caller, requestId } = this.#exchange
    const { meter } = run.record
    if (isOverclaimed(run)) {
      logger.error({ requestId, meter }, 'worker meter exceeds what the request can have used')
    }
    const { accountId } = caller
    const cost = costOfRun(run)
    reach('settle.before')
    const settled = await settleRun(this.#ports, { accountId, requestId, cost, deadline })
    this.#exchange.watched.settled(run.record, settled?.lines ?? [])
    reach('settle.after')
    return settled
  }

  async #answer(run: EndedRun, settled: Settled | undefined, delivery: Delivery): Promise<void> {
    const { idempotency, reach, logger } = this.#ports
    const { caller, requestId } = this.#exchange
    const ending = settled && answerEnding(run, settled)
    if (ending === undefined) {
      const { failure } = run.record
      const { workerId } = run
      if (failure) logger.warn({ requestId, workerId, err: failure }, 'worker run failed')
      throw badEnding(run, this.#request, requestId)
    }
    const last = delivery.ending(ending)
    await this.#keep()
    if (this.#claim !== null) {
      const { contentType, body, headers: costHeaders } = last
      await idempotency.record(caller.accountId, requestId, { contentType, body, costHeaders })
    }
    reach('answer.before-end')
    last.send()
    reach('answer.after-end')
  }

  /** The answer is paid for: the caller gets it, whether it could be stored or not. */
  async #keep(): Promise<void> {
    try {
      await this.#parsed.keep?.()
    } catch (cause) {
      const { requestId } = this.#exchange
      this.#ports.logger.error({ requestId, err: cause }, 'failed to store response')
    }
  }

  #refuseIfStopped(): void {
    const error = stoppedError(this.#exchange.place.stop.reason, this.#exchange.requestId)
    if (error !== undefined) throw error
  }
}
