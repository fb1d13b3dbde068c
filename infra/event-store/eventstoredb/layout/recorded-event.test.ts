import { NO_STREAM } from '@svc/contracts/ports/event-store'
import { type SealedEvent, seal, verifyChain } from '@svc/contracts/ports/hash-chain'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newEvent } from '../../compliance/fixtures.ts'
import type { NewServerEvent, ServerEvent } from '../messages/server-event.ts'
import { fromServerEvent, toServerEvent, uuidOf } from './recorded-event.ts'

const stream = 'account-1'

function sealed(data: string, metadata = '{}', id?: string): SealedEvent {
  const event = { ...newEvent(data), metadata, ...(id !== undefined && { id }) }
  const [first] = seal({ stream, expected: NO_STREAM, events: [event] }).events
  if (first === undefined) throw new Error('nothing was sealed')
  return first
}

/** Does to an event what the server and the client do to it on its way there and back. */
function stored(event: NewServerEvent): ServerEvent {
  const { data } = event
  const bytes = Buffer.from(event.metadata)
  return {
    ...event,
    stream: `svc.${stream}`,
    revision: 0,
    position: 416n,
    data:
      data.kind === 'json' ? { kind: 'json', text: JSON.stringify(JSON.parse(data.text)) } : data,
    metadata: JSON.parse(bytes.toString('utf8')),
  }
}

describe('an event of ours', () => {
  test('comes back byte for byte, whatever its texts are', () => {
    const text = fc.oneof(fc.json(), fc.string({ unit: 'grapheme', maxLength: 20 }))
    fc.assert(
      fc.property(text, text, (data, metadata) => {
        fc.pre(data.isWellFormed() && metadata.isWellFormed())
        const event = sealed(data, metadata)
        const back = fromServerEvent(stored(toServerEvent(event)), stream)
        expect(back).toEqual({ ...event, position: 416n })
        verifyChain(NO_STREAM, [back])
      }),
    )
  })

  test.each([
    ['{"a":1,"b":[true,null]}', 'json'],
    ['"text"', 'json'],
    ['{"amount":9007199254740993}', 'bytes'],
    ['{"a":1, "b":2}', 'bytes'],
    ['{"a":1,"a":2}', 'bytes'],
    ['-0', 'bytes'],
    ['no json', 'bytes'],
    ['', 'bytes'],
  ])('%s is sent as %s', (data, kind) => {
    expect(toServerEvent(sealed(data)).data.kind).toBe(kind)
  })

  test('has another id on the server when its content, place or history is another', () => {
    const id = newEvent().id
    const one = sealed('{"at":1}', '{}', id)
    expect(toServerEvent(one).id).toBe(toServerEvent(sealed('{"at":1}', '{}', id)).id)
    expect(toServerEvent(one).id).not.toBe(toServerEvent(sealed('{"at":2}', '{}', id)).id)
    const other = sealed('{"at":1}', '{"by":"x"}', id)
    expect(toServerEvent(one).id).not.toBe(toServerEvent(other).id)
    expect(toServerEvent(one).id).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    expect(uuidOf('0'.repeat(64))).toBe('00000000-0000-8000-8000-000000000000')
  })

  test('names its causes where the tools of the server look for them', () => {
    const metadata = '{"correlationId":"req_1","causationId":"req_0","actor":"gateway"}'
    const bytes = toServerEvent(sealed('{}', metadata)).metadata
    // The client takes nothing else for bytes.
    expect(bytes.constructor).toBe(Uint8Array)
    expect(JSON.parse(Buffer.from(bytes).toString('utf8'))).toMatchObject({
      $correlationId: 'req_1',
      $causationId: 'req_0',
      metadata,
    })
  })
})

describe('an event of somebody else in a stream of ours', () => {
  const event = stored(toServerEvent(sealed('{"a":1}')))

  test.each([
    ['no metadata', undefined, 'null'],
    ['metadata that are no JSON', new TextEncoder().encode('x'), 'x'],
    ['other metadata', { id: 7 }, '{"id":7}'],
  ])('with %s comes back, and breaks the chain', (_what, metadata, text) => {
    const back = fromServerEvent({ ...event, metadata }, stream)
    expect(back).toMatchObject({ id: event.id, data: '{"a":1}', metadata: text })
    expect(() => verifyChain(NO_STREAM, [back])).toThrow('the hash chain')
  })
})
