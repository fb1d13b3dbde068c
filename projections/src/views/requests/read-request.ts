/** Reads the events of a request where the index says that they are. */

import { accountStream } from '@svc/contracts/events/account'
import {
  DamagedStreamError,
  type EventStore,
  type RecordedEvent,
} from '@svc/contracts/ports/event-store'
import { decodeBatch } from '../../projection/decode.ts'
import type { RequestRow } from '../rows/request-rows.ts'
import type { RequestPlaces } from './project.ts'
import { requestOf } from './recorded-request.ts'

/**
 * @throws {BrokenChainError} when an event of the request was altered
 * @throws {DamagedStreamError} when one cannot be read
 * @throws when the log does not hold what the index names
 */
export async function readRequest(
  store: Pick<EventStore, 'readStream'>,
  place: RequestPlaces,
): Promise<RequestRow> {
  const stream = accountStream(place.accountId)
  const recorded: RecordedEvent[] = []
  for (const { from, limit } of runsOf(place)) {
    const page = await store.readStream({ stream, direction: 'forwards', from, limit })
    if (page.length < limit) {
      throw new Error(`the event log ends before the events of ${place.requestId}`)
    }
    recorded.push(...page)
  }
  const { events, unreadable } = decodeBatch(recorded)
  const [first] = unreadable
  if (first !== undefined) {
    const { revision } = first.recorded
    throw new DamagedStreamError(stream, first.cause, { revision })
  }
  return requestOf(place.requestId, events)
}

interface Run {
  readonly from: number
  limit: number
}

/**
 * Finds the runs of events to read. What ends a request was appended in one piece, so two reads are
 * enough for its four events.
 */
function runsOf({ accepted, metered, debited, ended, refunds }: RequestPlaces): readonly Run[] {
  const revisions = [accepted, metered, debited, ended, ...refunds].filter(
    (revision) => revision !== null,
  )
  const runs: Run[] = []
  for (const revision of revisions.sort((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run !== undefined && run.from + run.limit === revision) run.limit += 1
    else runs.push({ from: revision, limit: 1 })
  }
  return runs
}
