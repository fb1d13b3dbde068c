import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clients, snippetFor } from './client-snippets.ts'

const EXAMPLES = join(import.meta.dirname, '../../../../examples')
const baseUrl = 'http://127.0.0.1:8080'

const files = {
  curl: 'curl/first-call.sh',
  python: 'openai-python/first_call.py',
  javascript: 'openai-node/first-call.mjs',
  anthropic: 'anthropic-python/first_call.py',
} as const

test.each(Object.entries(files))('what is shown for %s is a file of the examples', (name, file) => {
  const client = name as keyof typeof files
  const shown = snippetFor(client, { baseUrl, secret: undefined })
  expect(`${shown}\n`).toBe(readFileSync(join(EXAMPLES, file), 'utf8'))
})

test('every program has its file; what is none has no key in it until one is made', () => {
  const programs = clients.map(([name]) => name).filter((name) => name !== 'env')
  expect(programs.toSorted()).toEqual(Object.keys(files).toSorted())
})

test.each(clients)('a key that was just made stands in %s', (name) => {
  const shown = snippetFor(name, { baseUrl: 'https://api.example.com', secret: 'sk-svc-1' })
  expect(shown).toContain('sk-svc-1')
  expect(shown).toContain('https://api.example.com')
  expect(shown).not.toMatch(/SVC_KEY|127\.0\.0\.1/)
})
