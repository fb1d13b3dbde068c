/**
 * Folds events one by one, to find the one that does not fit the rows. When its stream is damaged
 * the view leaves the stream out from there on; when the stream is whole, the view is at fault.
 */
import { messageOf } from '@svc/contracts/error-message'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import { causeOf, type StreamDamage } from '@svc/contracts/ports/quarantine'
import type { DecodedBatch } from '../projection/decode.ts'
import { isDamage, isPassingTrouble } from './file/file-trouble.ts'
import type { ViewFile } from './file/view-file.ts'

/** Reads a stream from its start to its end. @returns what is wrong with it, if anything is */
export type InspectStream = (stream: string) => Promise<StreamDamage | undefined>

/** A history that a view cannot follow, though the ledger can. */
export class UnfoldableEventError extends Error {
  override readonly name = 'UnfoldableEventError'

  constructor({ type, position, stream, revision }: RecordedEvent, cause: unknown) {
    const why = messageOf(cause)
    super(`event ${type} at position ${position} (${stream}, revision ${revision}): ${why}`, {
      cause,
    })
  }
}

/**
 * Folds and commits each event by itself.
 *
 * @throws {UnfoldableEventError} with the file standing just before the event
 */
export async function foldSingly(
  file: ViewFile,
  batch: DecodedBatch,
  inspect: InspectStream,
): Promise<void> {
  for (const single of singlesOf(batch)) await foldSingle(file, single, inspect)
}

async function foldSingle(
  file: ViewFile,
  single: DecodedBatch,
  inspect: InspectStream,
): Promise<void> {
  try {
    foldAndCommit(file, single)
  } catch (error) {
    const [event] = single.recorded
    if (event === undefined || isDamage(error) || isPassingTrouble(error)) throw error
    const damage = await inspect(event.stream)
    if (damage === undefined) throw new UnfoldableEventError(event, error)
    file.leaveOut(event, causeOf(event, error))
    foldAndCommit(file, single)
  }
}

function foldAndCommit(file: ViewFile, batch: DecodedBatch): void {
  file.fold(batch)
  file.commit()
}

function* singlesOf({ recorded, events, unreadable }: DecodedBatch): Generator<DecodedBatch> {
  const readable = new Map(events.map((event) => [event.recorded, event]))
  const others = new Map(unreadable.map((event) => [event.recorded, event]))
  for (const event of recorded) {
    const decoded = readable.get(event)
    const other = others.get(event)
    yield {
      recorded: [event],
      events: decoded === undefined ? [] : [decoded],
      unreadable: other === undefined ? [] : [other],
    }
  }
}
