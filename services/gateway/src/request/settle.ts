/**
 * Books the end of a run, and does not let go of it.
 *
 *     booked ─▶ the caller is told what it cost
 *     refused for now (a busy or lost store, a parked account) ─▶ told again, until the deadline
 *     anything else ─▶ an error that says what is true of the charge
 *
 * To tell it again is safe: the events of an end have the request's own ids, and the ledger answers
 * an end that had landed unheard with what it recorded. To give up early is not: the caller would
 * hear of a failure and be billed all the same, or the sweeper would give the answer away.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { Ledger, Settled } from '@svc/ledger/ledger'
import type { Logger } from 'pino'
import type { Settlement } from './cost.ts'

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

export interface BookingPorts {
  readonly ledger: Pick<Ledger, 'settle' | 'fail'>
  readonly clock: Clock
  readonly timer: Timer
  readonly logger: Logger
}

export interface End {
  readonly accountId: string
  readonly requestId: string
  readonly settlement: Settlement
  /** That of the acceptance, in milliseconds since 1970: after it the sweeper ends the request. */
  readonly deadline: number
}

/**
 * @returns what was debited; undefined when the request ended without a charge
 * @throws {ServiceError}
 */
export async function bookEnd(ports: BookingPorts, end: End): Promise<Settled | undefined> {
  const { clock, timer, logger } = ports
  const { requestId, deadline } = end
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await tell(ports.ledger, end)
    } catch (cause) {
      if (!isPassing(cause) || clock.nowMs() + pauseMs > deadline) {
        logger.error({ requestId, err: cause }, 'the end of a request was not booked')
        throw notBooked(cause, requestId)
      }
      if (pauseMs === FIRST_PAUSE_MS) {
        logger.warn({ requestId, err: cause }, 'the end of a request has to be told again')
      }
    }
    await new Promise<void>((resolve) => timer.after(pauseMs, resolve))
  }
}

async function tell(
  ledger: BookingPorts['ledger'],
  { accountId, requestId, settlement }: End,
): Promise<Settled | undefined> {
  if (settlement.kind === 'fail') {
    await ledger.fail(accountId, requestId, settlement.reason)
    return undefined
  }
  const { kind: _, ...charge } = settlement
  return ledger.settle(accountId, { requestId, ...charge })
}

function isPassing(cause: unknown): boolean {
  if (!(cause instanceof ServiceError)) return false
  return cause.code === 'store_unavailable' || cause.code === 'server_is_overloaded'
}

function notBooked(cause: unknown, requestId: string): unknown {
  if (!(cause instanceof ServiceError)) return cause
  if (cause.code === 'conflict') {
    const message = 'The request was given up before its end could be written. Nothing was charged.'
    return new ServiceError('store_unavailable', message, { cause, requestId })
  }
  if (!isPassing(cause)) return cause
  const message =
    'The event store did not confirm the end of the request in time. ' +
    `Whether it was charged is told by its receipt: /v1/requests/${requestId}.`
  return new ServiceError('store_unavailable', message, { cause, requestId })
}
