import { expect, test } from 'vitest'
import { meantTarget } from './known-paths.ts'

test.each([
  ['/v1/chat/completions', '/v1/chat/completions'],
  ['/chat/completions', '/v1/chat/completions'],
  ['/v1/v1/messages?beta=true', '/v1/messages?beta=true'],
  ['/v1/v1/messages/count_tokens', '/v1/messages/count_tokens'],
  ['/messages', '/v1/messages'],
  ['/models/svc-beta', '/v1/models/svc-beta'],
  ['/pro/responses', '/pro/v1/responses'],
  ['/pro/v1/v1/chat/completions', '/pro/v1/chat/completions'],
  ['/messagesque', '/messagesque'],
  ['/admin/v1/models', '/admin/v1/models'],
  ['/v1/balance', '/v1/balance'],
  ['/', '/'],
  ['*', '*'],
  ['http://x/v1/models', 'http://x/v1/models'],
])('%s means %s', (given, meant) => {
  expect(meantTarget(given)).toBe(meant)
})
