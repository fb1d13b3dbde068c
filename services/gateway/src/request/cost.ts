/**
 * What a run costs, by how it ended. Pure: the record of the run in, one command to the ledger out.
 *
 *     finished                        the metered triple
 *     stopped by client, time, drain, freeze
 *                                     the triple computed up to the worker's acknowledgement
 *     drained before parts were sent  nothing: the caller is told to ask again
 *     frozen before parts were sent   nothing: the caller got nothing
 *     broken by its own schema        the metered triple: it was computed, and fails again
 *     broken after parts were sent    the prompt, and the output tokens that had come
 *     broken before                   nothing
 *
 * A prompt of which it is not known how much was computed counts as cached, the cheaper reading. An
 * answer that is sent whole has sent no part until its end, so a run that breaks costs nothing
 * there. Of a meter that claims more output than has come, what has come counts: a worker tells of
 * every token before it meters. One that claims another prompt is handed on: the ledger cuts it.
 */
import { isImplausible } from '@svc/contracts/bounded-meter'
import type { SettleRequest } from '@svc/contracts/commands'
import type { WorkerMeter } from '@svc/contracts/worker/protocol'
import type { StopReason } from '../admission/stop.ts'
import { isGoodFinish } from '../formats/inference-request.ts'
import type { RunRecord } from './run-record.ts'

const UNKNOWN_WORKER = 'none'

/** The command to the ledger: settle the request, or fail it without a charge. */
export type RunCost =
  | ({ readonly kind: 'settle' } & Pick<
      SettleRequest,
      'meter' | 'finishReason' | 'rule' | 'failure'
    >)
  | { readonly kind: 'fail'; readonly reason: string }

export interface EndedRun {
  readonly record: Pick<
    RunRecord,
    | 'firstTokenAtMs'
    | 'outputTokens'
    | 'reasoningTokens'
    | 'meter'
    | 'finishReason'
    | 'stopText'
    | 'failure'
  >
  readonly workerId: string | undefined
  readonly promptTokens: number
  readonly maxOutputTokens: number
  /** Whether parts of the answer have been sent to the caller. */
  readonly delivered: boolean
  readonly stopReason: StopReason | undefined
}

export function costOfRun(run: EndedRun): RunCost {
  const { record, stopReason } = run
  const { finishReason } = record
  const meter = meterOf(run)
  if (record.failure !== undefined || meter === undefined) return brokenRun(run)
  if (finishReason !== undefined && isGoodFinish(finishReason)) {
    return {
      kind: 'settle',
      meter,
      finishReason,
      rule: 'metered',
      failure: null,
    }
  }
  // We stopped it and nothing was sent: whoever gets nothing pays nothing.
  if (stopReason === undefined || (isStoppedByService(stopReason) && !run.delivered)) {
    return brokenRun(run)
  }
  return {
    kind: 'settle',
    meter,
    finishReason: 'cancelled',
    rule: 'metered_until_cancelled',
    failure: stopReason === 'client_gone' ? null : stopReason,
  }
}

/** Whether neither the caller nor the time that the request may take has stopped it. */
export function isStoppedByService(stop: StopReason | undefined): boolean {
  return stop === 'shutting_down' || stop === 'account_frozen' || stop === 'member_left'
}

function brokenRun(run: EndedRun): RunCost {
  const { failure, meter } = run.record
  // The caller's own schema took the time of everybody: it is paid for like any other answer.
  if (failure?.code === 'grammar_too_costly' && meter !== undefined) {
    const cause = 'schema_too_costly'
    return { kind: 'settle', meter, finishReason: 'error', rule: 'metered', failure: cause }
  }
  const reason = run.stopReason ?? (failure?.isFinal ? 'refused' : 'worker_failed')
  if (!run.delivered || run.record.outputTokens === 0) return { kind: 'fail', reason }
  return {
    kind: 'settle',
    meter: deliveredMeter(run),
    finishReason: 'error',
    rule: 'delivered_before_failure',
    failure: reason,
  }
}

/**
 * Without output that never came, and under the name by which we know the worker, whatever it calls
 * itself.
 */
function meterOf({ record, workerId }: EndedRun): WorkerMeter | undefined {
  const { meter } = record
  if (meter === undefined) return undefined
  const outputTokens = Math.min(meter.outputTokens, record.outputTokens)
  const reasoningTokens = Math.min(meter.reasoningTokens, outputTokens)
  return { ...meter, outputTokens, reasoningTokens, workerId: workerId ?? UNKNOWN_WORKER }
}

/** Whether the worker claims more than was accepted or has come: an operator must hear of it. */
export function isOverclaimed({ record, promptTokens }: EndedRun): boolean {
  const { meter, outputTokens: maxOutputTokens } = record
  return meter !== undefined && isImplausible(meter, { promptTokens, maxOutputTokens })
}

/** Reasoning counts as it has come, as all output of a broken answer does. */
function deliveredMeter(run: EndedRun): WorkerMeter {
  const known = meterOf(run) ?? unknownMeter(run)
  const reasoningTokens = Math.min(run.record.reasoningTokens, known.outputTokens)
  return { ...known, reasoningTokens }
}

/** Nobody saw the prompt computed, so it is billed at the cached rate, the lower one. */
function unknownMeter({ record, promptTokens, workerId }: EndedRun): WorkerMeter {
  const { outputTokens, reasoningTokens } = record
  return {
    inputTokens: 0,
    cachedInputTokens: promptTokens,
    outputTokens,
    reasoningTokens,
    workerId: workerId ?? UNKNOWN_WORKER,
    cache: {
      schedule: null,
      reusedTokens: 0,
      blocks: 0,
      source: 'none',
      lastBlockHash: null,
      evaluatedTokens: 0,
    },
    latencies: { queueMs: 0, prefillMs: 0, firstTokenMs: null, totalMs: 0 },
  }
}
