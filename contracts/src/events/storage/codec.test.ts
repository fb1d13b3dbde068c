import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyEventOf, eventTypes } from '../../../tests/arbitrary-events.ts'
import type { NewEvent, RecordedEvent } from '../../ports/event-store.ts'
import { accountOfStream, accountStream } from '../account.ts'
import { decodeEvent, decodeMetadata, encodeEvent, eventSchemas } from './codec.ts'
import { currentVersion } from './upcast.ts'

const origin = { correlationId: 'req_1', causationId: 'req_1', actor: 'gateway:gw_1' }

const recorded = (event: NewEvent): RecordedEvent => ({
  ...event,
  stream: 'account-1',
  revision: 0,
  position: 0n,
  hash: '',
})

test('there is an arbitrary for every type of event', () => {
  expect([...eventTypes].sort()).toEqual(Object.keys(eventSchemas).sort())
})

describe.each(eventTypes)('%s', (type) => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(anyEventOf(type), (event) => {
        const stored = recorded(encodeEvent('id', event, origin))
        expect(decodeEvent(stored)).toEqual(event)
        const schemaVersion = currentVersion(type)
        expect(decodeMetadata(stored)).toEqual({ schemaVersion, ...origin })
      }),
    )
  })

  test('is stored as the text that the hashes of all logs are made of', () => {
    const asText = (_key: string, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value
    fc.assert(
      fc.property(anyEventOf(type), (event) => {
        expect(encodeEvent('id', event, origin).data).toBe(JSON.stringify(event.data, asText))
      }),
    )
  })

  test('is refused when any field is missing', () => {
    fc.assert(
      fc.property(anyEventOf(type), (event) => {
        const stored = encodeEvent('id', event, origin)
        for (const field of Object.keys(event.data)) {
          const { [field]: _, ...rest } = JSON.parse(stored.data)
          const cut = recorded({ ...stored, data: JSON.stringify(rest) })
          expect(() => decodeEvent(cut)).toThrow()
        }
      }),
      { numRuns: 5 },
    )
  })
})

describe('an event that this program did not write', () => {
  const metadata = JSON.stringify({ schemaVersion: 1, ...origin })
  const stored = (type: string, data: string, meta = metadata) =>
    recorded({ id: 'id', type, data, metadata: meta })

  test.each(['Unknown', '__proto__', 'constructor', 'toString'])(
    'of type %s is refused',
    (type) => {
      expect(() => decodeEvent(stored(type, '{}'))).toThrow(`unknown event type "${type}"`)
    },
  )

  test('of a newer version is refused and says what to do', () => {
    const schemaVersion = currentVersion('SpendPolicySet') + 1
    const newer = JSON.stringify({ ...origin, schemaVersion })
    expect(() => decodeEvent(stored('SpendPolicySet', '{}', newer))).toThrow(/update the program/)
  })

  test.each(['', '{', 'null', '[]', '"x"'])('with the data %j is refused', (data) => {
    expect(() => decodeEvent(stored('SpendPolicySet', data))).toThrow()
  })

  test('with a fraction of a pico-dollar is refused', () => {
    const data = '{"grantId":"grant_1","amount":"0.5","balanceAfter":"0","at":0}'
    expect(() => decodeEvent(stored('CreditExpired', data))).toThrow()
  })
})

test('the version that is stored is the current one, whatever the origin carries', () => {
  const data = { requestId: 'req_1', reason: 'worker_failed', at: 0 }
  const event = { type: 'RequestFailed', data } as const
  const stale = { ...origin, schemaVersion: 7 }
  expect(decodeMetadata(encodeEvent('id', event, stale)).schemaVersion).toBe(1)
})

test('an account stream names its account, another stream none', () => {
  expect(accountOfStream(accountStream('acct_1'))).toBe('acct_1')
  expect(accountOfStream('pricing')).toBeUndefined()
})
