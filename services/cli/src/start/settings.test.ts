import { describe, expect, test } from 'vitest'
import { logPlaceOf, shownPlace } from './log-place.ts'
import { readLogSettings, readSettings } from './settings.ts'

describe('EVENTSTORE_URL', () => {
  test('is taken although its name is not one of svc; others are not looked at', () => {
    const url = 'esdb+discover://db.example:2113'
    expect(readSettings({ EVENTSTORE_URL: url, HOME: '/' }).EVENTSTORE_URL).toBe(url)
    expect(logPlaceOf(readLogSettings({ EVENTSTORE_URL: url, SVC_ELSE: '' }))).toEqual({
      kind: 'eventstoredb',
      url,
      streamPrefix: 'svc.',
      readyWithinMs: 30_000,
    })
  })

  test.each([undefined, ''])('%o is a file', (url) => {
    expect(logPlaceOf(readSettings({ EVENTSTORE_URL: url }))).toEqual({ kind: 'sqlite' })
  })

  test('that cannot be used is refused without being shown', () => {
    const read = () => readSettings({ EVENTSTORE_URL: 'http://admin:changeit@host' })
    expect(read).toThrow(/^EVENTSTORE_URL: must be such as esdb:/)
    expect(read).not.toThrow(/changeit/)
  })

  test('is shown by its hosts alone', () => {
    const url = 'esdb://admin:changeit@n1:2113,n2?tls=true'
    const place = logPlaceOf(readLogSettings({ EVENTSTORE_URL: url }))
    if (place.kind === 'sqlite') throw new Error('a file')
    expect(shownPlace(place)).toBe('the EventStoreDB at n1:2113,n2:2113 (streams svc.*)')
  })
})

test.each(['', 'shop', 'shop.a.', '.', 'sh op.', '$shop.', `${'a'.repeat(64)}.`])(
  'SVC_EVENTSTORE_PREFIX: "%s" is refused, so that no prefix begins with another',
  (prefix) => {
    expect(() => readSettings({ SVC_EVENTSTORE_PREFIX: prefix })).toThrow(/SVC_EVENTSTORE_PREFIX/)
  },
)
