/**
 * Runs one request on a worker and hands its parts on. A run that breaks before anything was sent
 * to the caller is tried once more, on another worker where there is one, unless every worker would
 * refuse it: there is one request in the ledger, so there is one debit, whichever run it is for.
 *
 * When the stop signal comes, the run is cancelled at once, and its final meter, which says what
 * was computed, is waited for. After a bounded time the connection is closed.
 */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import type { Timer } from '@svc/contracts/ports/time'
import { asWorkerFailure } from '@svc/contracts/worker/failure'
import type { GenerateRequest } from '@svc/contracts/worker/protocol'
import type { GenerateStream } from '../routing/generate-stream.ts'
import type { Lease, LeasedWorker, WorkerChoice } from '../routing/worker-pool.ts'
import type { Delivery } from './delivery.ts'
import { RunRecord } from './run-record.ts'

const ATTEMPTS_MAX = 2
/** A cancel can overtake the request that it is about, and is then sent again after this time. */
const CANCEL_AGAIN_MS = 50
/** How long the worker may take to close a stream after its `done`. */
const CLOSING_MS = 1_000

export interface GenerateAnswer {
  readonly request: GenerateRequest
  /** Names of the prompt's blocks: the run goes to a worker that holds them. */
  readonly blocks: readonly string[]
  readonly delivery: Delivery
  readonly stopSignal: AbortSignal
  readonly cancelWaitMs: number
}

export interface GeneratePorts {
  readonly workers: WorkerChoice
  readonly timer: Timer
  readonly reach: ReachCrashPoint
}

export interface Run {
  readonly record: RunRecord
  /** The worker that ran it; undefined when none could be had. */
  readonly workerId: string | undefined
}

/** Generates the answer. Never rejects: what went wrong is in the record. */
export async function generateAnswer(ports: GeneratePorts, task: GenerateAnswer): Promise<Run> {
  let avoid: LeasedWorker | undefined
  for (let attempt = 1; ; attempt += 1) {
    const record = new RunRecord(task.request, ports.reach)
    if (task.stopSignal.aborted) record.fail('stopped before it was started')
    const lease = await leaseWorker(ports.workers, task, avoid, record)
    if (lease === undefined) return { record, workerId: undefined }
    await runOn(lease, record, ports, task)
    const { failure } = record
    const mayTryAgain =
      attempt < ATTEMPTS_MAX && !task.stopSignal.aborted && isSafeToRetry(failure, task)
    if (failure === undefined || !mayTryAgain || !task.delivery.restart()) {
      return { record, workerId: lease.worker.workerId }
    }
    avoid = lease.worker
  }
}

/**
 * A run under a grammar, which a caller's schema was made into, may itself have broken the worker:
 * it is not sent to another, unless the first was never reached. A run that failed by its grammar
 * would fail there as well.
 */
function isSafeToRetry(failure: RunRecord['failure'], { request }: GenerateAnswer): boolean {
  if (failure === undefined || failure.isFinal || failure.isOfGrammar) return false
  return request.plan.grammar === null || !failure.mayHaveBegun
}

async function leaseWorker(
  workers: WorkerChoice,
  { request: { tenant, fingerprint }, blocks }: GenerateAnswer,
  avoid: LeasedWorker | undefined,
  record: RunRecord,
): Promise<Lease | undefined> {
  if (record.ended) return undefined
  try {
    return await workers.lease({ tenant, fingerprint, blocks, avoid })
  } catch (cause) {
    record.failure = asWorkerFailure(cause)
    return undefined
  }
}

async function runOn(
  lease: Lease,
  record: RunRecord,
  ports: GeneratePorts,
  task: GenerateAnswer,
): Promise<void> {
  const { client } = lease.worker
  const generation = client.generate(task.request, (failure) => lease.release(failure))
  const cancelling = new Cancelling(lease, generation, ports.timer, task)
  if (task.stopSignal.aborted) cancelling.begin()
  else task.stopSignal.addEventListener('abort', cancelling.begin, { once: true })
  try {
    while (!record.ended) {
      const events = await generation.next()
      if (events === undefined) record.fail('the worker ended the stream before its last event')
      else {
        const taken = task.delivery.parts(record.take(events))
        // A reader that takes nothing must not keep a stopped run from its end.
        if (taken !== undefined) await Promise.race([taken, cancelling.begun])
      }
    }
  } catch (cause) {
    record.failure = asWorkerFailure(cause)
  }
  task.stopSignal.removeEventListener('abort', cancelling.begin)
  cancelling.end()
  lease.note(record.failure)
  if (record.failure !== undefined) generation.abort('the run failed')
  else generation.expectEnd(ports.timer, CLOSING_MS)
}

/** Cancels a run: asks the worker until it has found the run, and gives up after a bounded time. */
class Cancelling {
  readonly #lease: Lease
  readonly #generation: GenerateStream
  readonly #timer: Timer
  readonly #task: GenerateAnswer
  readonly #begun = Promise.withResolvers<void>()
  #ended = false
  #cancelTimers: (() => void)[] = []

  constructor(lease: Lease, generation: GenerateStream, timer: Timer, task: GenerateAnswer) {
    this.#lease = lease
    this.#generation = generation
    this.#timer = timer
    this.#task = task
  }

  /** Resolves when the run is to be cancelled. */
  get begun(): Promise<void> {
    return this.#begun.promise
  }

  readonly begin = (): void => {
    this.#begun.resolve()
    const giveUp = () => this.#generation.abort('no final meter came after the cancel')
    this.#cancelTimers.push(this.#timer.after(this.#task.cancelWaitMs, giveUp))
    void this.#cancel()
  }

  end(): void {
    this.#ended = true
    for (const cancel of this.#cancelTimers) cancel()
  }

  async #cancel(): Promise<void> {
    if (this.#ended) return
    const found = await this.#lease.worker.client.cancel(this.#task.request.requestId).then(
      ({ found }) => found,
      () => false,
    )
    if (found || this.#ended) return
    this.#cancelTimers.push(this.#timer.after(CANCEL_AGAIN_MS, () => void this.#cancel()))
  }
}
