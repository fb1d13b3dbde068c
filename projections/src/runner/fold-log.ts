/** Folds the log into files of views that are being built. */
import {
  type EventStore,
  type Position,
  type RecordedEvent,
  START,
} from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import { type DecodedBatch, decodeBatch } from '../projection/decode.ts'
import { isDamage, isPassingTrouble } from './file-trouble.ts'
import { foldSingly, type InspectStream } from './fold-singly.ts'
import { BATCH_EVENTS, COMMIT_EVENTS } from './runner.ts'
import type { ViewFile } from './view-file.ts'

export interface FoldLog {
  readonly store: Pick<EventStore, 'readAll'>
  readonly pace: Pace
  readonly signal: AbortSignal
  readonly inspect: InspectStream
  /** Is given what is read too, so that others need not read the log once more. */
  readonly onBatch?: (batch: readonly RecordedEvent[]) => Promise<void>
}

/**
 * Folds the events up to a position, that one included: read and decoded once for all files.
 *
 * @param files all at the same place of the log
 * @throws when the signal aborts, or an event of a stream that is whole cannot be folded
 */
export async function foldLog(
  files: readonly ViewFile[],
  until: Position,
  build: FoldLog,
  report: () => void = () => {},
): Promise<void> {
  const foldedUntil = () => files[0]?.folded.position ?? until
  while (until !== START && foldedUntil() < until) {
    const batch = await readBatch(foldedUntil(), until, build)
    if (batch.length === 0) return
    await build.onBatch?.(batch)
    await foldBatch(files, batch, build.pace, (file) => foldAgain(file, batch, build))
    report()
  }
}

/**
 * The same of events that were read already, each behind those that were folded before.
 *
 * @param onUnfoldable what is done with a file that could not fold the batch and is back at its
 *   last commit. Default: it throws what was thrown
 */
export async function foldBatch(
  files: readonly ViewFile[],
  batch: readonly RecordedEvent[],
  pace: Pace,
  onUnfoldable?: (file: ViewFile) => Promise<void>,
): Promise<void> {
  const decoded = await pace.step(() => decodeBatch(batch))
  for (const file of files) {
    try {
      await foldAndCommit(file, decoded, pace)
    } catch (error) {
      if (onUnfoldable === undefined || isDamage(error) || isPassingTrouble(error)) throw error
      await onUnfoldable(file)
    }
  }
}

async function foldAndCommit(file: ViewFile, batch: DecodedBatch, pace: Pace): Promise<void> {
  await pace.step(() => file.fold(batch))
  if (file.uncommittedEvents >= COMMIT_EVENTS) await pace.step(() => file.commit())
}

/** From the last commit to the end of the batch, event by event. */
async function foldAgain(
  file: ViewFile,
  batch: readonly RecordedEvent[],
  build: FoldLog,
): Promise<void> {
  const until = batch.at(-1)?.position ?? START
  while (file.folded.position < until) {
    const again = await readBatch(file.folded.position, until, build)
    if (again.length === 0) return
    await build.pace.step(() => foldSingly(file, decodeBatch(again), build.inspect))
  }
}

async function readBatch(
  after: Position,
  until: Position,
  { store, pace, signal }: FoldLog,
): Promise<readonly RecordedEvent[]> {
  signal.throwIfAborted()
  const page = await pace.step(() => store.readAll({ after, limit: BATCH_EVENTS }))
  return page.filter(({ position }) => position <= until)
}
