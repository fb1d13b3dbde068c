/** Folds the log into files of views that are being built. */
import {
  type EventStore,
  type Position,
  type RecordedEvent,
  START,
} from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import { decodeBatch } from '../projection/decode.ts'
import { BATCH_EVENTS, COMMIT_EVENTS } from './runner.ts'
import type { ViewFile } from './view-file.ts'

export interface FoldLog {
  readonly store: Pick<EventStore, 'readAll'>
  readonly pace: Pace
  readonly signal: AbortSignal
  /** Is given what is read too, so that others need not read the log once more. */
  readonly onBatch?: (batch: readonly RecordedEvent[]) => Promise<void>
}

/**
 * Folds the events up to a position, that one included: read and decoded once for all files.
 *
 * @param files all at the same place of the log
 * @throws when the signal aborts, or an event cannot be folded
 */
export async function foldLog(
  files: readonly ViewFile[],
  until: Position,
  { store, pace, signal, onBatch }: FoldLog,
  report: () => void = () => {},
): Promise<void> {
  const foldedUntil = () => files[0]?.folded.position ?? until
  while (until !== START && foldedUntil() < until) {
    signal.throwIfAborted()
    const request = { after: foldedUntil(), limit: BATCH_EVENTS }
    const page = await pace.step(() => store.readAll(request))
    const batch = page.filter(({ position }) => position <= until)
    if (batch.length === 0) return
    await onBatch?.(batch)
    await foldBatch(files, batch, pace)
    report()
  }
}

/** The same of events that were read already, each behind those that were folded before. */
export async function foldBatch(
  files: readonly ViewFile[],
  batch: readonly RecordedEvent[],
  pace: Pace,
): Promise<void> {
  const events = await pace.step(() => {
    const decoded = decodeBatch(batch)
    if (decoded.unreadable !== undefined) throw decoded.unreadable
    return decoded.events
  })
  for (const file of files) {
    await pace.step(() => file.fold(events))
    if (file.uncommittedEvents >= COMMIT_EVENTS) await pace.step(() => file.commit())
  }
}
