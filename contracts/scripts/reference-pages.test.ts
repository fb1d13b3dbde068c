import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { adminReference } from './admin-reference.ts'
import { errorReference } from './error-reference.ts'
import { eventReference } from './event-reference.ts'

test.each([
  ['admin-api.md', 'docs:admin', adminReference],
  ['errors.md', 'docs:errors', errorReference],
  ['events.md', 'docs:events', eventReference],
])('docs/reference/%s is what "npm run %s" writes', (page, _script, render) => {
  const written = readFileSync(new URL(`../../docs/reference/${page}`, import.meta.url), 'utf8')
  expect(written).toBe(render())
})
