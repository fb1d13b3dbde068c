import { expect, test } from 'vitest'
import { rateHeaders } from './client-family.ts'

const rate = { limit: 60, remaining: 7, resetSeconds: 90 }
const clock = { nowMs: () => Date.UTC(2026, 0, 31, 23, 59, 0, 400) }

test('Messages clients are told the moment at which their rate is whole again', () => {
  expect(rateHeaders('anthropic', rate, clock)).toEqual({
    'anthropic-ratelimit-requests-limit': '60',
    'anthropic-ratelimit-requests-remaining': '7',
    'anthropic-ratelimit-requests-reset': '2026-02-01T00:00:30Z',
  })
})

test('the others are told how long that takes', () => {
  expect(rateHeaders('openai', rate, clock)).toEqual({
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '7',
    'x-ratelimit-reset-requests': '1m30s',
  })
})
