/**
 * Appends until the outcome is known.
 *
 *     send ── appended │ duplicate │ conflict ──▶ known
 *      │  └── rejected ──▶ nothing was written: the error reaches the caller
 *      └── unknown ──▶ wait ──▶ the SAME request again … until it is known
 *
 * An unknown append may become durable at any later time, so a read that does not find it proves
 * nothing, and a new decision could be written beside it. The same events at the same revision are
 * harmless: the store has them, or takes them, or somebody else was there first. For the same
 * reason a rejection that comes after an `unknown` settles nothing, and a conflict is believed only
 * when somebody else's events are seen in the place of these: from then on they can not be written.
 *
 * A store recognises a repetition by the ids of the events. An id is made of what the event is
 * about and not of its content: two processes that grant the same payment at once make the same id,
 * perhaps with different amounts. So events that stand there with other content were written by
 * another process: that is a conflict, and the command is decided again.
 *
 * Callers do not wait for ever: after a bounded time `onOverdue` is called, once, and the sending
 * goes on without them.
 */
import { outcomeOfRepeat } from '@svc/contracts/ports/append'
import { Backoff } from '@svc/contracts/ports/backoff'
import type { AppendOutcome, AppendRequest, EventStore } from '@svc/contracts/ports/event-store'
import { seal } from '@svc/contracts/ports/hash-chain'
import type { Timer } from '@svc/contracts/ports/time'

/** How long it waits between two sendings, in milliseconds. */
const PAUSES = { firstMs: 50, longestMs: 5_000 }

export type KnownOutcome = Exclude<AppendOutcome, { readonly kind: 'unknown' }>

/** The process ends before the outcome is known; the next one reads what is there. */
class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError'
}

export interface SettlingOptions {
  readonly store: EventStore
  readonly timer: Timer
  readonly boundMs: number
  readonly onOverdue: (cause: unknown) => void
  /** Whether to give up once overdue, because the process ends. */
  readonly isStopping: () => boolean
}

/**
 * @throws what the store throws at the first sending: then nothing was written
 * @throws {OutcomeUnknownError}
 */
export async function appendUntilKnown(
  request: AppendRequest,
  options: SettlingOptions,
): Promise<KnownOutcome> {
  const outcome = await options.store.append(request)
  const known = outcome.kind === 'unknown' ? await settle(request, options, outcome.cause) : outcome
  return isOfOthers(request, known) ? { kind: 'conflict' } : known
}

/** The hash covers all that the events say, and the ids only what they are about. */
function isOfOthers(request: AppendRequest, outcome: KnownOutcome): boolean {
  return outcome.kind === 'duplicate' && outcome.head.hash !== seal(request).head.hash
}

async function settle(
  request: AppendRequest,
  { store, timer, boundMs, onOverdue, isStopping }: SettlingOptions,
  firstCause: unknown,
): Promise<KnownOutcome> {
  let cause = firstCause
  let isOverdue = false
  const cancelBound = timer.after(boundMs, () => {
    isOverdue = true
    onOverdue(cause)
  })
  const backoff = new Backoff(timer, PAUSES)
  try {
    for (;;) {
      if (isOverdue && isStopping())
        throw new OutcomeUnknownError('an append is unknown', { cause })
      await backoff.pause()
      const outcome = await sendAgain(store, request)
      if (outcome.kind !== 'unknown') return outcome
      cause = outcome.cause
    }
  } finally {
    cancelBound()
  }
}

async function sendAgain(store: EventStore, request: AppendRequest): Promise<AppendOutcome> {
  try {
    const outcome = await store.append(request)
    return outcome.kind === 'conflict' ? await whoseEventsAreThere(store, request) : outcome
  } catch (cause) {
    return { kind: 'unknown', cause }
  }
}

async function whoseEventsAreThere(
  store: EventStore,
  { stream, expected, events }: AppendRequest,
): Promise<AppendOutcome> {
  const from = expected.revision + 1
  const limit = events.length
  const there = await store.readStream({ stream, direction: 'forwards', from, limit })
  if (there.length === 0) return { kind: 'unknown', cause: new Error('a conflict with nothing') }
  return outcomeOfRepeat(expected, events, there) ?? { kind: 'conflict' }
}
