/** A verification of the log, with its progress. */

import type { VerifyProgress, VerifyResult } from '@svc/contracts/admin/verification'
import { ServiceError } from '@svc/contracts/errors'
import { isCheckpointsStream } from '@svc/contracts/events/evidence'
import { unreadableBecause } from '@svc/contracts/events/stored-event'
import { parseCheckpoint } from '@svc/contracts/evidence/checkpoint'
import { parseNote } from '@svc/contracts/evidence/signed-note'
import type { EventStore, ReadAllRequest, RecordedEvent } from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import type { Quarantine } from '@svc/contracts/ports/quarantine'
import type { StoreHealth } from '@svc/contracts/ports/store-health'
import type { TextStore } from '@svc/contracts/ports/text-store'
import { type LogHead, logHeadText, readLogHead } from '@svc/infra/event-store/log-head'
import type { LogWitness } from '@svc/infra/event-store/log-witnesses'
import { type VerifiedStart, verifyLog } from '@svc/infra/event-store/verify-log'
import type { EvidenceSources } from '@svc/projections/evidence-export'
import { progressLines, ratePerSecond } from './progress-lines.ts'
import { TextsCheck } from './texts-check.ts'

export interface VerifySources {
  readonly store: Pick<EventStore, 'readAll' | 'readStream' | 'lastPosition'>
  readonly texts: Pick<TextStore, 'find'>
  readonly pace: Pace
  /** The places that remember events of this log. */
  readonly witnesses?: () => Iterable<LogWitness>
  readonly densePositions: boolean
  readonly mayHideEvents?: boolean
  readonly storeHealth?: StoreHealth | undefined
  /** Is told of every stream that is found damaged. */
  readonly quarantine?: Pick<Quarantine, 'note'> | undefined
  /** The tree must have all of the log. */
  readonly evidence: Pick<EvidenceSources, 'views' | 'checkpoints'>
}

/** The result without whether it is kept, which is another's to say. */
export type VerifyFound = Omit<VerifyResult, 'kept'>

interface VerifyInput {
  readonly anchor?: string | undefined
  readonly from?: string | undefined
}

/**
 * @throws {ServiceError} `invalid_value` for an anchor that is none, or a position that cannot be
 *   gone on from; `evidence_contradicted` when the tree is not what was signed
 */
export async function* verifyLines(
  sources: VerifySources,
  input: VerifyInput = {},
): AsyncGenerator<VerifyProgress | VerifyFound> {
  const { store, storeHealth, texts, pace, witnesses = () => [] } = sources
  const { densePositions, mayHideEvents = false } = sources
  const anchor = anchorOf(input)
  const from = await startOf(sources, input)
  yield* progressLines<VerifyProgress, VerifyFound>(async (report, signal) => {
    const rateOf = ratePerSecond()
    const head = `${await store.lastPosition()}`
    const check = new TextsCheck(texts)
    const readAll = async (request: ReadAllRequest) => {
      const page = await store.readAll(request)
      // A step of its own: it takes as long as the reading, and rests have to be as long as both.
      await pace.step(() => check.take(page))
      return page
    }
    const found = await verifyLog(
      { readAll, readStream: (request) => store.readStream(request) },
      {
        pace,
        signal,
        anchor,
        from,
        densePositions,
        mayHideEvents,
        unreadableBecause,
        witnesses: witnesses(),
        onProgress: ({ events, position, passedOver }) => {
          const place = { position: `${position}`, head }
          const rate = rateOf(events)
          report({ type: 'progress', events, ...place, passed_over: passedOver, rate })
        },
      },
    )
    for (const damage of [...found.broken, ...found.unreadable]) sources.quarantine?.note(damage)
    return {
      type: 'result',
      streams: found.streams,
      events: found.events,
      broken: found.broken,
      unreadable: found.unreadable,
      set_aside: [...(storeHealth?.setAside() ?? [])],
      missing_positions: `${found.missingPositions}`,
      contradicted: found.contradicted.map(({ source, stream, revision }) => {
        return { source, stream, revision }
      }),
      anchor: found.anchor ?? null,
      texts: check.result(),
      head: found.head === undefined ? null : logHeadText(found.head),
      position: `${found.position}`,
      from: input.from ?? null,
    }
  })
}

/**
 * Finds the start of a verification. The events before it have to be in the tree, and the tree has
 * to be the one that was signed.
 */
async function startOf(
  { store, evidence }: VerifySources,
  { from, anchor }: VerifyInput,
): Promise<VerifiedStart | undefined> {
  if (from === undefined) return undefined
  if (anchor !== undefined) throw notFrom('an anchor is compared with the whole log: leave one out')
  const { views, checkpoints } = evidence
  const signed = await checkpoints.latest()
  if (signed === undefined) throw notFrom('nothing is signed yet: verify the whole log')
  const { size, root } = parseCheckpoint(parseNote(signed.note))
  if (size > views.treeSize() || !root.equals(views.treeRoot(size))) {
    throw contradicted(`checkpoint ${size} does not hold any more`)
  }
  const position = BigInt(from)
  const last = await store.lastPosition()
  if (position > last) throw contradicted(`it ends at position ${last}, so its end was cut off`)
  return { position, isKnown: (event) => isCheckpointsStream(event.stream) || isLeaf(views, event) }
}

function isLeaf(views: EvidenceSources['views'], event: RecordedEvent): boolean {
  try {
    return views.leafOf(event) !== undefined
  } catch {
    // Another event has its place.
    return false
  }
}

function contradicted(why: string): ServiceError {
  return new ServiceError('evidence_contradicted', `The log is not what was verified: ${why}.`)
}

function notFrom(why: string): ServiceError {
  return new ServiceError('invalid_value', `from: ${why}`, { param: 'from' })
}

function anchorOf({ anchor }: { readonly anchor?: string | undefined }): LogHead | undefined {
  if (anchor === undefined) return undefined
  const head = readLogHead(anchor)
  if (head !== undefined) return head
  const message = `anchor: "${anchor}" is no head of a log, as "svc verify" prints it`
  throw new ServiceError('invalid_value', message, { param: 'anchor' })
}
