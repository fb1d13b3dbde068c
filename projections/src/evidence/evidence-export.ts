/** Evidence files: of a whole account, or of one request. `contracts` says what is in them. */

import { ServiceError } from '@svc/contracts/errors'
import { accountStream } from '@svc/contracts/events/account'
import type { EvidenceHeader } from '@svc/contracts/evidence/evidence-file'
import type { LogCheckpoints, SignedCheckpoint } from '@svc/contracts/evidence/log-checkpoints'
import { type EventStore, NO_STREAM, type RecordedEvent } from '@svc/contracts/ports/event-store'
import { linkText } from '@svc/contracts/ports/hash-chain'
import type { Pace } from '@svc/contracts/ports/pace'
import type { EvidenceQueries } from '../views/evidence/queries.ts'
import type { RequestRow } from '../views/rows/request-rows.ts'
import type { Views } from '../views/views.ts'
import { treeBehind } from './tree-behind.ts'

/** How many events are read and written in one step: about a millisecond. */
const PAGE_EVENTS = 250

export interface EvidenceSources {
  readonly store: Pick<EventStore, 'readStream'>
  readonly views: EvidenceQueries & Pick<Views, 'request'>
  readonly checkpoints: LogCheckpoints
  readonly pace: Pace
}

/**
 * Whether the tree has come to a size that somebody knows of.
 *
 * @throws {ServiceError} `invalid_value` when nobody has signed that many, `view_behind` when
 *   another gateway has, and the tree here is behind
 */
export async function requireInTree(
  { views, checkpoints }: Pick<EvidenceSources, 'views' | 'checkpoints'>,
  { param, size }: { readonly param: string; readonly size: number },
): Promise<void> {
  if (size <= views.treeSize()) return
  const signed = await checkpoints.latest()
  if (size <= (signed?.size ?? 0)) throw treeBehind()
  const message = `${param}: there are only ${views.treeSize()} events`
  throw new ServiceError('invalid_value', message, { param })
}

export interface EvidenceOptions {
  /** Sizes of earlier checkpoints that the new one is to be shown to go on from. */
  readonly since?: readonly number[] | undefined
}

/**
 * The events of an account up to now, in chunks of text. The evidence view must hold them.
 *
 * @throws {ServiceError} `not_found` for an account without events, `view_behind`,
 *   `invalid_value` for a size beyond the checkpoint
 * @throws {BrokenChainError} when an event was altered
 */
export async function* accountEvidence(
  sources: EvidenceSources,
  accountId: string,
  { since = [] }: EvidenceOptions = {},
): AsyncGenerator<string> {
  const { store, views, pace } = sources
  const stream = accountStream(accountId)
  const [last] = await store.readStream({ stream, direction: 'backwards', limit: 1 })
  if (last === undefined) {
    const message = `There is no account ${accountId}.`
    throw new ServiceError('not_found', message, { param: 'account_id' })
  }
  const leaf = leafOf(views, last)
  const checkpoint = await covering(sources, leaf + 1, since)
  const events = last.revision + 1
  const proofs = [proofOf(views, { event: events, leaf }, checkpoint)]
  const content = { stream, request: null, events, proofs, checkpoint: checkpoint.note }
  yield headerLine(sources, { ...content, ...earlier(sources, checkpoint, since) })
  let previous: string = NO_STREAM.hash
  for (let from = 0; from < events; from += PAGE_EVENTS) {
    const limit = Math.min(PAGE_EVENTS, events - from)
    const request = { stream, direction: 'forwards', from, limit } as const
    const page = await pace.step(() => store.readStream(request))
    if (page.length < limit) throw new Error(`the event log ends before the events of ${stream}`)
    yield linesOf(page, previous)
    previous = page.at(-1)?.hash ?? previous
  }
}

/**
 * The events of one request, each with a proof of its own. The evidence view must hold them.
 *
 * @throws as {@link accountEvidence}
 */
export async function requestEvidence(
  sources: EvidenceSources,
  {
    requestId,
    accountId,
    events: references,
  }: Pick<RequestRow, 'requestId' | 'accountId' | 'events'>,
  { since = [] }: EvidenceOptions = {},
): Promise<string> {
  const { store, views } = sources
  const stream = accountStream(accountId)
  const lines: string[] = []
  const leaves: number[] = []
  for (const { revision } of references) {
    // An account is opened before it makes a request: there is an event before.
    const request = { stream, direction: 'forwards', from: revision - 1, limit: 2 } as const
    const [before, event] = await store.readStream(request)
    if (before === undefined || event === undefined) {
      throw new Error(`the event log ends before the events of ${requestId}`)
    }
    leaves.push(leafOf(views, event))
    lines.push(linesOf([event], before.hash))
  }
  const checkpoint = await covering(sources, Math.max(...leaves) + 1, since)
  const proofs = leaves.map((leaf, index) => {
    return proofOf(views, { event: index + 1, leaf }, checkpoint)
  })
  const content = { stream, request: requestId, events: lines.length, proofs }
  const header = { ...content, checkpoint: checkpoint.note }
  return headerLine(sources, { ...header, ...earlier(sources, checkpoint, since) }) + lines.join('')
}

/**
 * Finds a checkpoint that covers the events, also one that another gateway has signed meanwhile and
 * a customer knows.
 */
async function covering(
  sources: EvidenceSources,
  size: number,
  since: readonly number[],
): Promise<SignedCheckpoint> {
  for (const first of since) await requireInTree(sources, { param: 'since', size: first })
  return sources.checkpoints.covering(Math.max(size, ...since))
}

function headerLine(
  { checkpoints }: EvidenceSources,
  header: Omit<EvidenceHeader, 'svc_evidence' | 'rotations'>,
): string {
  const { rotations } = checkpoints
  const whole: EvidenceHeader = { svc_evidence: 1, ...header, rotations: [...rotations] }
  return `${JSON.stringify(whole)}\n`
}

function linesOf(events: readonly RecordedEvent[], previous: string): string {
  let before = previous
  let lines = ''
  for (const event of events) {
    lines += `${linkText(before, event)}\n`
    before = event.hash
  }
  return lines
}

function leafOf(views: EvidenceQueries, event: RecordedEvent): number {
  const leaf = views.leafOf(event)
  if (leaf !== undefined) return leaf
  throw treeBehind()
}

function proofOf(
  views: EvidenceQueries,
  { event, leaf }: { readonly event: number; readonly leaf: number },
  { size }: SignedCheckpoint,
): EvidenceHeader['proofs'][number] {
  return { event, leaf, hashes: views.inclusionProof(leaf, size).map(hexOf) }
}

function earlier(
  { views }: EvidenceSources,
  { size }: SignedCheckpoint,
  since: readonly number[],
): Pick<EvidenceHeader, 'consistency'> {
  return {
    consistency: since.map((first) => {
      const hashes = views.consistencyProof(first, size).map(hexOf)
      return { size: first, root: hexOf(views.treeRoot(first)), hashes }
    }),
  }
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
