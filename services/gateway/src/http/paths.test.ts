import { expect, test } from 'vitest'
import { normalizedPath, unknownUrl } from './paths.ts'

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
  expect(normalizedPath(given)).toBe(meant)
})

const rootUrl = 'https://api.example.com'
const messageOf = (path: string, family: 'openai' | 'anthropic') =>
  unknownUrl({ method: 'POST', path, family, rootUrl }).message

const OPENAI = `Set the base URL of your client to ${rootUrl}/v1.`
const ANTHROPIC = `Set the base URL of your client to ${rootUrl}.`
const RIGHT_ALREADY = `The API is described at ${rootUrl}/docs.`

test.each([
  ['/api/v1/chat/completions', 'openai', OPENAI],
  ['/v2/responses', 'openai', OPENAI],
  ['/V1/chat/completions', 'openai', OPENAI],
  ['/v1/chat/completions/chat/completions', 'openai', OPENAI],
  ['/openai/models/svc-beta', 'openai', OPENAI],
  ['/.env', 'openai', OPENAI],
  ['/', 'openai', OPENAI],
  ['/v1/embeddings', 'openai', RIGHT_ALREADY],
  ['/v1/completions', 'openai', RIGHT_ALREADY],
  ['/v1/files', 'openai', RIGHT_ALREADY],
  ['/v1', 'openai', RIGHT_ALREADY],
  ['/pro/v1/embeddings', 'openai', RIGHT_ALREADY],
  ['/pro/v1/balance', 'openai', RIGHT_ALREADY],
  ['/anthropic/v1/messages', 'anthropic', ANTHROPIC],
  ['/anthropic/v1/messages', 'openai', ANTHROPIC],
  ['/api/messages/count_tokens', 'openai', ANTHROPIC],
  ['/pro/v1/messages', 'anthropic', ANTHROPIC],
  ['/v1/messages/v1/messages', 'anthropic', ANTHROPIC],
  ['/api/v1/models', 'anthropic', ANTHROPIC],
  ['/nothing', 'anthropic', ANTHROPIC],
  ['/v1/messages/batches', 'anthropic', RIGHT_ALREADY],
  ['/v1/files', 'anthropic', RIGHT_ALREADY],
] as const)('%s of the family %s', (path, family, advice) => {
  expect(messageOf(path, family)).toBe(`There is no POST ${path} here. ${advice}`)
})

test.each(['/admin/v1/nothing', '/admin'])('%s is of the admin API, not of a client', (path) => {
  const said = `There is no POST ${path} here. /docs describes the admin API.`
  expect(messageOf(path, 'openai')).toContain(said)
  expect(messageOf(path, 'anthropic')).not.toContain('base URL')
})

test('a long path is shown in part', () => {
  expect(messageOf(`/${'a'.repeat(2_000)}`, 'openai').length).toBeLessThan(256)
})
