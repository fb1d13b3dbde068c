/**
 * Settles a run, and retries until the ledger answers.
 *
 *     settled ─▶ the caller is told what it cost
 *     refused for now (a busy or lost store, a parked account) ─▶ retried, until the deadline
 *     anything else ─▶ an error that says what is true of the charge
 *
 * To retry is safe: the events of a settlement have ids made of the request's own id, and the
 * ledger answers one that was written, but not acknowledged, with what it recorded. To give up
 * early is not: the caller would be told of a failure and be billed all the same, or the sweeper
 * would fail the request and give the answer away.
 */
import { ServiceError } from '@svc/contracts/errors'
import { Backoff } from '@svc/contracts/ports/backoff'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { type CountedWarnings, reasonOf } from '@svc/infra/system/counted-warnings'
import type { Ledger, Settled } from '@svc/ledger/ledger'
import { isRefusedForNow } from '@svc/ledger/refusals'
import type { Logger } from 'pino'
import type { RunCost } from './cost.ts'

/** How long it waits between two tries, in milliseconds. */
const PAUSES = { firstMs: 50, longestMs: 1_000 }

export interface SettlePorts {
  readonly ledger: Pick<Ledger, 'settle' | 'fail'>
  readonly steadyClock: Clock
  readonly timer: Timer
  readonly logger: Pick<Logger, 'error'>
  readonly warnings: Pick<CountedWarnings, 'warn'>
}

export interface RunToSettle {
  readonly accountId: string
  readonly requestId: string
  readonly cost: RunCost
  /**
   * The deadline of the acceptance, by the steady clock: after it the sweeper fails the request.
   */
  readonly deadline: number
}

/**
 * @returns what was debited; undefined when the request ended without a charge
 * @throws {ServiceError}
 */
export async function settleRun(
  ports: SettlePorts,
  run: RunToSettle,
): Promise<Settled | undefined> {
  const { steadyClock, timer, logger, warnings } = ports
  const { requestId, deadline } = run
  const backoff = new Backoff(timer, PAUSES)
  for (;;) {
    try {
      return await settleOnce(ports.ledger, run)
    } catch (cause) {
      if (!isRefusedForNow(cause) || steadyClock.nowMs() + backoff.nextMs > deadline) {
        logGivenUp(logger, requestId, cause)
        throw notSettled(cause, requestId, backoff.pauses > 0)
      }
      if (backoff.pauses === 0) warnings.warn('settlement not acknowledged, retrying', cause)
    }
    await backoff.pause()
  }
}

async function settleOnce(
  ledger: SettlePorts['ledger'],
  { accountId, requestId, cost }: RunToSettle,
): Promise<Settled | undefined> {
  if (cost.kind === 'fail') {
    await ledger.fail(accountId, requestId, cost.reason)
    return undefined
  }
  const { kind: _, ...charge } = cost
  return ledger.settle(accountId, { requestId, ...charge })
}

/** The sweeper ended it: this process may have stood still until its deadline was over. */
function isEnded(cause: unknown): boolean {
  return cause instanceof ServiceError && cause.code === 'conflict'
}

function logGivenUp(logger: SettlePorts['logger'], requestId: string, cause: unknown): void {
  if (isEnded(cause)) {
    logger.error({ requestId }, 'request was given up before its settlement, nothing charged')
    return
  }
  const why = isRefusedForNow(cause) ? { reason: reasonOf(cause) } : { err: cause }
  logger.error({ requestId, ...why }, 'settlement not acknowledged, giving up')
}

/** @param mayBeWritten whether an earlier try may have been, which nobody confirmed */
function notSettled(cause: unknown, requestId: string, mayBeWritten: boolean): unknown {
  if (!(cause instanceof ServiceError)) return cause
  if (isEnded(cause)) {
    const message = 'The request was given up before its end could be written. Nothing was charged.'
    return new ServiceError('timeout', message, { cause, requestId })
  }
  const receipt = `Whether it was charged is told by its receipt: /v1/requests/${requestId}.`
  if (cause.code === 'account_damaged' && mayBeWritten) {
    const message = `The records of the account are damaged. ${receipt}`
    return new ServiceError('account_damaged', message, { cause, requestId })
  }
  if (!isRefusedForNow(cause)) return cause
  const message = `The event store did not confirm the end of the request in time. ${receipt}`
  return new ServiceError('store_unavailable', message, { cause, requestId })
}
