import { expect, test } from 'vitest'
import { defaultHttpLimits, httpLimits } from './limits.ts'

test('a bound that is given holds for who is alone, too, and leaves the others as they are', () => {
  expect(httpLimits({ requestsPerKey: 2, preparationsPerAccount: 1 })).toEqual({
    ...defaultHttpLimits,
    requestsPerKey: 2,
    requestsPerKeyAlone: 2,
    preparationsPerAccount: 1,
    preparationsPerAccountAlone: 1,
  })
  expect(httpLimits({})).toEqual(defaultHttpLimits)
})

/** Some clients count it from the last event, and some take no comment for one. */
const QUIET_MS_MAX = 15_000

test('complaint 11: by default no stream is quiet for longer than agents bear', () => {
  expect(defaultHttpLimits.streamKeepAliveMs).toBeLessThanOrEqual(QUIET_MS_MAX)
})
