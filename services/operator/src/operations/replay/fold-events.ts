/** Folds the events up to a position, of the whole log or of one account. */
import type { ReplayProgress } from '@svc/contracts/admin/replay'
import { ServiceError } from '@svc/contracts/errors'
import { accountStream, isAccountEvent } from '@svc/contracts/events/account'
import { decodeEvent } from '@svc/contracts/events/codec'
import {
  type EventStore,
  type Position,
  type RecordedEvent,
  START,
} from '@svc/contracts/ports/event-store'
import { inSteps, type Pace, stepSize } from '@svc/contracts/ports/pace'
import { accountDecider, InconsistentHistoryError } from '@svc/ledger/account/decider'
import { summaryOf } from '@svc/ledger/account-summary'
import type { AccountSummary } from '@svc/ledger/ledger'
import type { Replay } from '@svc/projections/open-projections'
import { ratePerSecond } from '../log/progress-lines.ts'

const PAGE_EVENTS = 250
/** This many take about a millisecond. */
const STEP_EVENTS = 50

export interface FoldEvents {
  readonly store: Pick<EventStore, 'readAll' | 'readStream'>
  readonly pace: Pace
  readonly replay: Pick<Replay, 'fold'>
  /** The position of the last event that is folded. */
  readonly until: Position
  readonly signal: AbortSignal
  readonly report: (progress: ReplayProgress) => void
}

export interface FoldedAccount {
  /** The ledger's own state of it. */
  readonly summary: AccountSummary
  readonly events: number
}

/** @returns how many events there were. @throws when the signal aborts */
export async function foldAll(request: FoldEvents): Promise<number> {
  const { store, pace, replay, until, signal } = request
  const report = reporter(request)
  let events = 0
  for (let after = START; after < until; ) {
    signal.throwIfAborted()
    const asked = { after, limit: stepSize(pace, PAGE_EVENTS) }
    const page = await pace.step(() => store.readAll(asked))
    const known = page.filter(({ position }) => position <= until)
    const last = known.at(-1)
    if (last === undefined) break
    await replay.fold(known)
    events += known.length
    after = last.position
    report(events, (Number(after) + 1) / (Number(until) + 1))
  }
  return events
}

/**
 * @returns undefined for an account without events up to there
 * @throws {BrokenChainError} when its history was altered
 * @throws {ServiceError} `account_damaged` when an event contradicts those before it, and which
 * @throws when the signal aborts
 */
export async function foldAccount(
  request: FoldEvents,
  accountId: string,
): Promise<FoldedAccount | undefined> {
  const { store, pace, replay, until, signal } = request
  const report = reporter(request)
  const stream = accountStream(accountId)
  const [last] = await store.readStream({ stream, direction: 'backwards', limit: 1 })
  let state = accountDecider.initialState()
  let events = 0
  const evolve = (recorded: RecordedEvent): void => {
    const event = decodeEvent(recorded)
    if (!isAccountEvent(event)) return
    try {
      state = accountDecider.evolve(state, event)
    } catch (cause) {
      throw cause instanceof InconsistentHistoryError ? contradicted(recorded, cause) : cause
    }
  }
  for (let isOver = last === undefined; !isOver; ) {
    signal.throwIfAborted()
    const query = { stream, direction: 'forwards', from: events, limit: PAGE_EVENTS } as const
    const page = await pace.step(() => store.readStream(query))
    const known = page.filter(({ position }) => position <= until)
    await inSteps(pace, known, STEP_EVENTS, evolve, signal)
    await replay.fold(known)
    events += known.length
    report(events, events / ((last?.revision ?? 0) + 1))
    isOver = known.length < PAGE_EVENTS
  }
  return events === 0 ? undefined : { summary: summaryOf(accountId, state), events }
}

function contradicted(
  { stream, type, revision, position }: RecordedEvent,
  cause: InconsistentHistoryError,
): ServiceError {
  const message =
    `${stream} contradicts itself: its event ${revision}, ${type} at position ${position}, cannot ` +
    `follow those before it, because ${cause.message}. What was before it can be replayed: ` +
    `to ${position - 1n}.`
  return new ServiceError('account_damaged', message, { cause })
}

function reporter({ report }: FoldEvents): (events: number, share: number) => void {
  const rateOf = ratePerSecond()
  return (events, share) =>
    report({
      type: 'progress',
      part: 'log',
      share: Math.min(1, share),
      events,
      rate: rateOf(events),
    })
}
