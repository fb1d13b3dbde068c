import { describe, expect, test } from 'vitest'
import { initialPriceOf } from './initial-price.ts'
import { logLocationOf, readLogLocation, shownLocation } from './log-location.ts'
import { readSettings } from './settings.ts'

describe('EVENTSTORE_URL', () => {
  test('is taken although its name is not one of svc; others are not looked at', () => {
    const url = 'esdb+discover://db.example:2113'
    expect(readSettings({ EVENTSTORE_URL: url, HOME: '/' }).EVENTSTORE_URL).toBe(url)
    expect(readLogLocation({ EVENTSTORE_URL: url, SVC_ELSE: '' })).toEqual({
      kind: 'eventstoredb',
      url,
      streamPrefix: 'svc.',
      readyWithinMs: 30_000,
    })
  })

  test.each([undefined, ''])('%o is a file', (url) => {
    expect(logLocationOf(readSettings({ EVENTSTORE_URL: url }))).toEqual({ kind: 'sqlite' })
  })

  test('that cannot be used is refused without being shown', () => {
    const read = () => readSettings({ EVENTSTORE_URL: 'http://admin:changeit@host' })
    expect(read).toThrow(/^EVENTSTORE_URL: must be such as esdb:/)
    expect(read).not.toThrow(/changeit/)
  })

  test('is shown by its hosts alone', () => {
    const url = 'esdb://admin:changeit@n1:2113,n2?tls=true'
    const place = readLogLocation({ EVENTSTORE_URL: url })
    if (place.kind === 'sqlite') throw new Error('a file')
    expect(shownLocation(place)).toBe('the EventStoreDB at n1:2113,n2:2113 (streams svc.*)')
  })
})

describe('REDIS_URL', () => {
  test('is taken although its name is not one of svc; an empty one is none', () => {
    const url = 'redis://cache.example:6380/2'
    expect(readSettings({ REDIS_URL: url }).REDIS_URL).toBe(url)
    expect(readSettings({ REDIS_URL: '' }).REDIS_URL).toBeUndefined()
  })

  test('that cannot be used is refused without being shown', () => {
    const read = () => readSettings({ REDIS_URL: 'http://:changeit@host' })
    expect(read).toThrow(/^REDIS_URL: it must be written as redis:/)
    expect(read).not.toThrow(/changeit/)
  })
})

test.each([
  ['SVC_WORKERS', '0'],
  ['SVC_WORKERS', '65'],
  ['SVC_STANDBY_MODELS', 'a.gguf,,b.gguf'],
  ['SVC_GPU', 'on'],
  ['SVC_CACHE', 'yes'],
  ['SVC_CACHE_BYTES', '512M'],
  ['SVC_CACHE_SECRET', 'fifteen letters'],
  ['SVC_CONTENT_SECRET', 'fifteen letters'],
  ['SVC_PUBLIC_URL', 'api.example.com'],
  ['SVC_PUBLIC_URL', 'https://api.example.com/v1'],
  ['SVC_CORS_ORIGINS', 'chat.example.com'],
  ['SVC_CORS_ORIGINS', 'https://chat.example.com/app'],
  ['SVC_TRUSTED_PROXIES', '10.0.0.0/33'],
  ['SVC_TRUSTED_PROXIES', 'proxy.internal'],
  ['SVC_CACHE_TTL_S', '0'],
  ['SVC_TENANT_WEIGHTS', 'everybody=2'],
])('%s: "%s" is refused', (name, value) => {
  expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^${name}`))
})

describe.each(['SVC_EVENTSTORE_PREFIX', 'SVC_REDIS_PREFIX'])('%s', (name) => {
  test.each(['', 'shop', 'shop.a.', '.', 'sh op.', '$shop.', `${'a'.repeat(64)}.`])(
    '"%s" is refused, so that no prefix begins with another',
    (prefix) => {
      expect(() => readSettings({ [name]: prefix })).toThrow(new RegExp(`^${name}`))
    },
  )
})

describe('the price of a first start', () => {
  const rates = (input?: string, cachedInput?: string, output?: string) => ({
    SVC_INIT_PRICE_INPUT: input,
    SVC_INIT_PRICE_CACHED_INPUT: cachedInput,
    SVC_INIT_PRICE_OUTPUT: output,
  })

  test('is three rates in dollars per million tokens, or none', () => {
    const price = { input: 300_000n, cachedInput: 30_000n, output: 1n }
    expect(initialPriceOf(readSettings(rates('0.30', '0.03', '0.000001')))).toEqual(price)
    expect(initialPriceOf(readSettings({}))).toBeUndefined()
    expect(initialPriceOf(readSettings(rates('', '', '')))).toBeUndefined()
  })

  test.each([
    [rates('0.30', '0.03'), /^SVC_INIT_PRICE_OUTPUT: is missing/],
    [rates(undefined, '0.03', '1'), /^SVC_INIT_PRICE_INPUT: is missing/],
    [rates('0.30', '0.31', '1'), /^SVC_INIT_PRICE_CACHED_INPUT: must be at most/],
    [rates('-1', '0', '1'), /^SVC_INIT_PRICE_INPUT: must be dollars per million/],
    [rates('1', 'NaN', '1'), /^SVC_INIT_PRICE_CACHED_INPUT: must be dollars per million/],
    [rates('1', '0', '0.0000001'), /^SVC_INIT_PRICE_OUTPUT: must be dollars per million/],
    [rates('0', '0', '0'), /--yes/],
  ])('%j is refused, and named', (settings, problem) => {
    expect(() => readSettings(settings)).toThrow(problem)
  })
})

test.each([
  ['[::1]', '::1'],
  ['::1', '::1'],
  ['[fe80::1%eth0]', 'fe80::1%eth0'],
  ['localhost', 'localhost'],
  ['[localhost]', '[localhost]'],
])('SVC_HOST=%s listens on %s', (given, host) => {
  expect(readSettings({ SVC_HOST: given }).SVC_HOST).toBe(host)
})
