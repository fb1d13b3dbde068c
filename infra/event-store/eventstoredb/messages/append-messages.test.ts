import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { appendRequest, readAppendAnswer } from './append-messages.ts'
import { AppendRefusedError } from './append-refusal.ts'
import { MessageWriter } from './message-writer.ts'
import { type NewServerEvent, NO_EVENTS, type ServerData } from './server-event.ts'

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  // These lengths need more than one byte, and more than two.
  fc.nat({ max: 40_000 }).map((length) => 'ü'.repeat(length)),
)
const bytes = fc.uint8Array({ maxLength: 300 })
const data: fc.Arbitrary<ServerData> = fc.oneof(
  text.map((json) => ({ kind: 'json', text: json }) as const),
  bytes.map((raw) => ({ kind: 'bytes', bytes: raw }) as const),
)
const event: fc.Arbitrary<NewServerEvent> = fc.record({
  id: fc.uuid(),
  type: text,
  data,
  metadata: bytes,
})
const revision = fc.oneof(fc.constant(NO_EVENTS), fc.nat(), fc.maxSafeNat())
const callId = fc.integer({ min: 1, max: 2 ** 47 - 1 })

/** Reads a message as the generated classes of the client do. */
function generatedView(message: Buffer) {
  const request = streams.BatchAppendReq.deserializeBinary(message)
  const options = request.getOptions()
  const id = request.getCorrelationId()?.getStructured()
  return {
    callId: Number(id?.getMostSignificantBits()),
    appendId: Number(id?.getLeastSignificantBits()),
    isFinal: request.getIsFinal(),
    stream: utf8(options?.getStreamIdentifier()?.getStreamName_asU8()),
    expected: options?.hasNoStream() ? NO_EVENTS : Number(options?.getStreamPosition()),
    hasDeadline: options?.hasDeadline() === true,
    events: request.getProposedMessagesList().map((proposed) => {
      const isJson = proposed.getMetadataMap().get('content-type') === 'application/json'
      const raw = proposed.getData_asU8()
      return {
        id: proposed.getId()?.getString(),
        type: proposed.getMetadataMap().get('type'),
        data: isJson ? { kind: 'json', text: utf8(raw) } : { kind: 'bytes', bytes: raw },
        metadata: proposed.getCustomMetadata_asU8(),
      }
    }),
  }
}

function utf8(raw: Uint8Array = new Uint8Array()): string {
  return Buffer.from(raw).toString('utf8')
}

describe('the request for an append', () => {
  test('is read by the generated classes as it was meant', () => {
    const events = fc.array(event, { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(
        fc.record({ callId, appendId: callId, stream: text, expected: revision, events }),
        (append) => {
          const view = generatedView(appendRequest(append))
          expect(view).toEqual({ ...append, isFinal: true, hasDeadline: false })
        },
      ),
    )
  })
})

describe('the answer to an append', () => {
  const correlation = () => {
    const halves = new shared.UUID.Structured()
    halves.setMostSignificantBits('5')
    halves.setLeastSignificantBits('7')
    return new shared.UUID().setStructured(halves)
  }
  const answered = (answer: InstanceType<typeof streams.BatchAppendResp>) =>
    readAppendAnswer(Buffer.from(answer.setCorrelationId(correlation()).serializeBinary()))

  test('says where the last event stands', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.option(fc.maxSafeNat(), { nil: undefined }), (at, place) => {
        const success = new streams.BatchAppendResp.Success().setCurrentRevision(String(at))
        if (place === undefined) success.setNoPosition()
        else {
          const position = new shared.AllStreamPosition()
          success.setPosition(
            position.setCommitPosition(String(place)).setPreparePosition(String(place)),
          )
        }
        const answer = answered(new streams.BatchAppendResp().setSuccess(success))
        const position = place === undefined ? undefined : BigInt(place)
        expect(answer).toEqual({ appendId: 7, result: { revision: at, position } })
      }),
    )
  })

  test.each([
    ['WrongExpectedVersion', 'wrong-expected-version'],
    ['StreamDeleted', 'stream-deleted'],
    ['AccessDenied', 'access-denied'],
    ['MaximumAppendSizeExceeded', 'maximum-append-size-exceeded'],
    ['Timeout', 'deadline-exceeded'],
    ['NotReady', 'unknown'],
    ['Anything', 'unknown'],
  ])('that refuses it with %s has the type %s', (name, type) => {
    const writer = new MessageWriter()
    const message = writer.message(() => {
      writer.nested(2, () => {
        writer.text(2, 'Server Is Not Ready')
        writer.nested(3, () => {
          writer.text(1, `type.googleapis.com/event_store.client.${name}`)
          writer.nested(2, () => writer.uint(1, 4_096))
        })
      })
    })
    const { result } = readAppendAnswer(message)
    const maxAppendSize = name === 'MaximumAppendSizeExceeded' ? 4_096 : undefined
    expect(result).toBeInstanceOf(AppendRefusedError)
    expect(result).toMatchObject({ type, maxAppendSize, message: 'Server Is Not Ready' })
  })

  test.each([
    ['nothing', ''],
    ['no result', '0a00'],
    ['a length beyond its end', '1aff01'],
    ['a number without an end', 'ffffffffffffffffffffffff'],
    ['a layout that nobody knows', '0f00'],
  ])('that holds %s is no answer', (_what, hex) => {
    expect(() => readAppendAnswer(Buffer.from(hex, 'hex'))).toThrow(/event store/)
  })
})
