/** Folds the log into files of views that are being built. */
import {
  type EventStore,
  type PassedOver,
  type Position,
  type RecordedEvent,
  START,
} from '@svc/contracts/ports/event-store'
import { type Pace, stepSize } from '@svc/contracts/ports/pace'
import { type DecodedBatch, decodeBatch } from '../projection/decode.ts'
import { isDamage, isPassingTrouble } from './file/file-trouble.ts'
import type { ViewFile } from './file/view-file.ts'
import { foldSingly, type InspectStream, UnfoldableEventError } from './fold-singly.ts'
import { BATCH_EVENTS } from './runner.ts'

export interface FoldLog {
  readonly store: Pick<EventStore, 'readAll'>
  readonly pace: Pace
  readonly signal: AbortSignal
  readonly inspect: InspectStream
  /** Is given what is read too, so that others need not read and parse the log once more. */
  readonly onBatch?: (batch: DecodedBatch) => Promise<void>
  /** Is told of events of others, in a log that is shared with them. */
  readonly onPassedOver?: PassedOver | undefined
  /**
   * Is told of a file that stays before an event of a whole stream, which it cannot fold; the
   * others go on. Default: the error is thrown.
   */
  readonly onUnfoldable?: (file: ViewFile, error: UnfoldableEventError) => void
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
  report: (file: ViewFile) => void = () => {},
): Promise<void> {
  if (until === START) return
  const stopped = new Set<ViewFile>()
  for (;;) {
    const folding = files.filter((file) => !stopped.has(file))
    const [first] = folding
    if (first === undefined || first.folded.position >= until) return
    const batch = await readBatch(first.folded.position, until, build)
    if (batch.length === 0) return
    const decoded = await foldTogether(folding, batch, build.pace, async (file) => {
      const error = await foldAgain(file, batch, build)
      if (error === undefined) return
      if (build.onUnfoldable === undefined) throw error
      stopped.add(file)
      build.onUnfoldable(file, error)
    })
    await build.onBatch?.(decoded)
    report(first)
  }
}

/**
 * Folds events that were read already, each behind those that were folded before.
 *
 * @throws when one cannot be folded
 */
export async function foldBatch(
  files: readonly ViewFile[],
  batch: readonly RecordedEvent[],
  pace: Pace,
): Promise<void> {
  await foldTogether(files, batch, pace)
}

/**
 * @param onUnfoldable what is done with a file that could not fold the batch and is back at its
 *   last commit. Default: it throws what was thrown
 */
async function foldTogether(
  files: readonly ViewFile[],
  batch: readonly RecordedEvent[],
  pace: Pace,
  onUnfoldable?: (file: ViewFile) => Promise<void>,
): Promise<DecodedBatch> {
  const thrown = new Map<ViewFile, unknown>()
  const decoded = await pace.step(() => {
    const once = decodeBatch(batch)
    for (const file of files) {
      try {
        file.fold(once)
      } catch (error) {
        thrown.set(file, error)
      }
    }
    return once
  })
  for (const file of files) {
    try {
      if (thrown.has(file)) throw thrown.get(file)
      await file.commitIfLong(pace)
    } catch (error) {
      if (onUnfoldable === undefined || isDamage(error) || isPassingTrouble(error)) throw error
      await onUnfoldable(file)
    }
  }
  return decoded
}

/**
 * Folds event by event from the last commit to the end of the batch.
 *
 * @returns why the file stays before one of them; undefined when it has them all
 */
async function foldAgain(
  file: ViewFile,
  batch: readonly RecordedEvent[],
  build: FoldLog,
): Promise<UnfoldableEventError | undefined> {
  const until = batch.at(-1)?.position ?? START
  try {
    while (file.folded.position < until) {
      const again = await readBatch(file.folded.position, until, build)
      if (again.length === 0) return undefined
      await build.pace.step(() => foldSingly(file, decodeBatch(again), build.inspect))
    }
    return undefined
  } catch (error) {
    if (error instanceof UnfoldableEventError) return error
    throw error
  }
}

async function readBatch(
  after: Position,
  until: Position,
  { store, pace, signal, onPassedOver }: FoldLog,
): Promise<readonly RecordedEvent[]> {
  signal.throwIfAborted()
  const limit = stepSize(pace, BATCH_EVENTS)
  const request = { after, limit, ...(onPassedOver && { onPassedOver }) }
  const page = await pace.step(() => store.readAll(request))
  return page.filter(({ position }) => position <= until)
}
