import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  CAUGHT_UP,
  LOOKED_AT_EVENTS,
  NO_EVENT_IN_ANSWER,
  readAnswer,
  readRequest,
} from './read-messages.ts'

const BACKWARDS = 1

test.each([
  ['a stream from its start', { stream: 's', direction: 'forwards', limit: 5 }],
  ['a stream from a revision', { stream: 'ü', direction: 'forwards', from: 0, limit: 5 }],
  ['a stream from its end', { stream: 's', direction: 'backwards', limit: 1 }],
  ['the log from its start', { direction: 'forwards', limit: 2_000 }],
  ['the log from its end', { direction: 'backwards', limit: 2_000 }],
  ['the log from a position', { direction: 'forwards', from: 2n ** 52n + 1n, limit: 3 }],
  [
    'the log, filtered',
    { direction: 'backwards', from: 7n, limit: 3, streams: ['svc.', '$$svc.'] },
  ],
] as const)(
  'the request for %s is read by the generated classes as it was meant',
  (_what, asked) => {
    const options = streams.ReadReq.deserializeBinary(readRequest(asked)).getOptions()
    const stream = options?.getStream()
    const all = options?.getAll()
    const position = all?.getPosition()
    const hasEdge = [stream?.hasStart(), stream?.hasEnd(), all?.hasStart(), all?.hasEnd()]
    const from = stream?.hasRevision() ? Number(stream.getRevision()) : undefined
    const place = position && BigInt(position.getCommitPosition())
    expect({
      stream: stream && Buffer.from(stream.getStreamIdentifier()?.getStreamName_asU8() ?? []),
      direction: options?.getReadDirection() === BACKWARDS ? 'backwards' : 'forwards',
      from: from ?? place,
      hasOneStart: [...hasEdge, from !== undefined, position !== undefined].filter(Boolean).length,
      isFromEnd: stream?.hasEnd() === true || all?.hasEnd() === true,
      limit: Number(options?.getCount()),
      streams: options?.getFilter()?.getStreamIdentifier()?.getPrefixList(),
      isUnfiltered: options?.hasNoFilter(),
      hasTextIds: options?.getUuidOption()?.hasString(),
    }).toEqual({
      stream: 'stream' in asked ? Buffer.from(asked.stream) : undefined,
      direction: asked.direction,
      from: 'from' in asked ? asked.from : undefined,
      hasOneStart: 1,
      isFromEnd: !('from' in asked) && asked.direction === 'backwards',
      limit: asked.limit,
      streams: 'streams' in asked ? asked.streams : undefined,
      isUnfiltered: !('streams' in asked),
      hasTextIds: true,
    })
    expect(position?.getPreparePosition()).toBe(position?.getCommitPosition())
  },
)

test('a watched read is a subscription that says now and then how far it has looked', () => {
  const watch = { until: 9n, onPassedOver() {} }
  const asked = { direction: 'forwards', from: 7n, limit: 3, streams: ['svc.'], watch } as const
  const options = streams.ReadReq.deserializeBinary(readRequest(asked)).getOptions()
  expect(options?.hasSubscription()).toBe(true)
  expect(options?.getFilter()?.getStreamIdentifier()?.getPrefixList()).toEqual(['svc.'])
  const pages = options?.getFilter()?.getCheckpointintervalmultiplier() ?? 0
  // A page has 32 events, unless the client says otherwise.
  expect(pages * 32).toBe(LOOKED_AT_EVENTS)

  const looked = new streams.ReadResp()
  const place = new streams.ReadResp.Checkpoint().setCommitPosition('4711')
  looked.setCheckpoint(place.setPreparePosition('4711'))
  expect(readAnswer(Buffer.from(looked.serializeBinary()))).toEqual({ lookedUpTo: 4711n })
  const caughtUp = new streams.ReadResp()
  caughtUp.setCaughtUp(new streams.ReadResp.CaughtUp())
  expect(readAnswer(Buffer.from(caughtUp.serializeBinary()))).toBe(CAUGHT_UP)
})

const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const stored = fc.record({
  id: fc.uuid(),
  stream: text,
  type: text,
  revision: fc.maxSafeNat(),
  position: fc.maxSafeNat(),
  createdMs: fc.nat({ max: 4_000_000_000_000 }),
  isJson: fc.boolean(),
  data: fc.oneof(
    text,
    fc.nat({ max: 40_000 }).map((length) => 'ü'.repeat(length)),
  ),
  metadata: fc.json(),
})

test('an event is read as the generated classes write it', () => {
  fc.assert(
    fc.property(stored, (event) => {
      const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
        .setId(new shared.UUID().setString(event.id))
        .setStreamIdentifier(
          new shared.StreamIdentifier().setStreamName(Buffer.from(event.stream).toString('base64')),
        )
        .setStreamRevision(String(event.revision))
        .setCommitPosition(String(event.position))
        .setPreparePosition(String(event.position))
        .setCustomMetadata(new TextEncoder().encode(event.metadata))
        .setData(new TextEncoder().encode(event.data))
      const properties = recorded.getMetadataMap()
      properties.set('type', event.type)
      properties.set('created', `${event.createdMs}9999`)
      const type = event.isJson ? 'application/json' : 'application/octet-stream'
      properties.set('content-type', type)
      const answer = new streams.ReadResp()
      answer.setEvent(new streams.ReadResp.ReadEvent().setEvent(recorded))
      expect(readAnswer(Buffer.from(answer.serializeBinary()))).toEqual({
        id: event.id,
        stream: event.stream,
        type: event.type,
        revision: event.revision,
        position: BigInt(event.position),
        createdMs: event.createdMs,
        data: event.isJson
          ? { kind: 'json', text: event.data }
          : { kind: 'bytes', bytes: Buffer.from(event.data) },
        metadata: JSON.parse(event.metadata),
      })
    }),
  )
})

test('metadata that are no JSON come as bytes, and none as undefined', () => {
  const metadataOf = (metadata: string) => {
    const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    recorded.setCustomMetadata(new TextEncoder().encode(metadata))
    const answer = new streams.ReadResp()
    answer.setEvent(new streams.ReadResp.ReadEvent().setEvent(recorded))
    const event = readAnswer(Buffer.from(answer.serializeBinary()))
    return typeof event === 'object' && 'metadata' in event ? event.metadata : event
  }
  expect(metadataOf('x')).toEqual(Buffer.from('x'))
  expect(metadataOf('')).toBeUndefined()
})

test('an answer that holds no event is told apart', () => {
  const missing = new streams.ReadResp()
  missing.setStreamNotFound(new streams.ReadResp.StreamNotFound())
  expect(readAnswer(Buffer.from(missing.serializeBinary()))).toBe(NO_EVENT_IN_ANSWER)
})

test('bytes that end too early are an error, wherever they end', () => {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent().setStreamRevision('300')
  recorded.setData(new TextEncoder().encode('{"a":1}'))
  const answer = new streams.ReadResp()
  answer.setEvent(new streams.ReadResp.ReadEvent().setEvent(recorded))
  const whole = Buffer.from(answer.serializeBinary())
  for (let length = 1; length < whole.length; length += 1) {
    expect(() => readAnswer(whole.subarray(0, length))).toThrow('cut off')
  }
})
