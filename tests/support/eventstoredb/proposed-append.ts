/** Takes appends in, over either of the two calls that clients use for them. */
import type { UUID as UuidMessage } from '@eventstore/db-client/generated/shared_pb.js'
import streams, {
  type AppendReq as AppendReqMessage,
  type BatchAppendReq as BatchAppendReqMessage,
} from '@eventstore/db-client/generated/streams_pb.js'
import type { ExpectedRevision } from './append-decision.ts'
import type { ProposedEvent } from './stored-event.ts'

export interface ProposedAppend {
  readonly stream: string
  readonly expected: ExpectedRevision
  readonly events: readonly ProposedEvent[]
  /** When the client gives it up: by the client's clock, in milliseconds since 1970. */
  readonly deadlineMs?: number | undefined
}

/** The parts of an append that may come in several messages. */
export interface AppendPart {
  /** In the first part. */
  readonly head?: Omit<ProposedAppend, 'events'>
  readonly events: readonly ProposedEvent[]
}

export interface BatchPart extends AppendPart {
  /** The id, made by the client, that the answer repeats: a UUID in 32 hexadecimal digits. */
  readonly correlationId: string
  readonly isFinal: boolean
}

type ProposedMessage =
  | AppendReqMessage.ProposedMessage
  | ReturnType<BatchAppendReqMessage['getProposedMessagesList']>[number]

const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

export function readBatchPart(bytes: Buffer): BatchPart {
  const request = streams.BatchAppendReq.deserializeBinary(bytes)
  const events = request.getProposedMessagesList().map(proposedEvent)
  const part = {
    correlationId: hexOf(request.getCorrelationId()),
    isFinal: request.getIsFinal(),
    events,
  }
  const options = request.getOptions()
  if (options === undefined) return part
  const stream = nameOf(options.getStreamIdentifier())
  const deadlineMs = options.getDeadline()?.toDate().getTime()
  return { ...part, head: { stream, expected: batchExpectation(options), deadlineMs } }
}

export function readAppendPart(bytes: Buffer): AppendPart {
  const request = streams.AppendReq.deserializeBinary(bytes)
  const message = request.getProposedMessage()
  const events = message === undefined ? [] : [proposedEvent(message)]
  const options = request.getOptions()
  if (options === undefined) return { events }
  return {
    events,
    head: { stream: nameOf(options.getStreamIdentifier()), expected: expectation(options) },
  }
}

/** The real server refuses these without saying what it refuses. */
export function isWellFormed({ stream, events }: ProposedAppend): boolean {
  return stream !== '' && events.every(({ id, type }) => id !== '' && type !== '')
}

/** The bytes that the limit on one append counts: only `data`. */
export function dataBytes({ events }: ProposedAppend): number {
  return events.reduce((sum, { data }) => sum + data.length, 0)
}

export function nameOf(identifier: { getStreamName_asU8(): Uint8Array } | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8')
}

interface ExpectationOptions {
  hasNoStream(): boolean
  hasAny(): boolean
  hasStreamExists(): boolean
}

function expectation(options: ExpectationOptions & { getRevision(): string }): ExpectedRevision {
  return named(options) ?? BigInt(options.getRevision())
}

function batchExpectation(
  options: ExpectationOptions & { getStreamPosition(): string },
): ExpectedRevision {
  return named(options) ?? BigInt(options.getStreamPosition())
}

function named(options: ExpectationOptions): ExpectedRevision | undefined {
  if (options.hasNoStream()) return 'no_stream'
  if (options.hasAny()) return 'any'
  return options.hasStreamExists() ? 'stream_exists' : undefined
}

function proposedEvent(proposed: ProposedMessage): ProposedEvent {
  const described = proposed.getMetadataMap()
  return {
    id: uuidFrom(proposed.getId()?.getString() ?? ''),
    type: described.get('type') ?? '',
    contentType: described.get('content-type') ?? 'application/octet-stream',
    data: proposed.getData_asU8(),
    metadata: proposed.getCustomMetadata_asU8(),
  }
}

/** Clients give an id as text, or as two halves of 64 bits with a sign. */
function hexOf(uuid: UuidMessage | undefined): string {
  const halves = uuid?.getStructured()
  if (halves === undefined) return uuid?.getString().replaceAll('-', '') ?? ''
  return [halves.getMostSignificantBits(), halves.getLeastSignificantBits()]
    .map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0'))
    .join('')
}

/** A UUID as the server gives it back; empty when the text is none. */
function uuidFrom(text: string): string {
  const parts = UUID.exec(text.toLowerCase())
  const uuid = parts === null ? '' : parts.slice(1).join('-')
  return uuid === NIL_UUID ? '' : uuid
}
