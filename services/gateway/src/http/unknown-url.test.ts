import { expect, test } from 'vitest'
import { unknownUrl } from './unknown-url.ts'

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

test('a long path is shown in part', () => {
  expect(messageOf(`/${'a'.repeat(2_000)}`, 'openai').length).toBeLessThan(256)
})
