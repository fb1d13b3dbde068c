import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { adminReference } from './admin-reference.ts'
import { errorReference } from './error-reference.ts'
import { eventReference } from './event-reference.ts'
import { eventSchemaFiles } from './event-schemas.ts'
import { topUpReference, topUpSchemaFile } from './top-up-reference.ts'

test.each([
  ['admin-api.md', 'docs:admin', adminReference],
  ['errors.md', 'docs:errors', errorReference],
  ['events.md', 'docs:events', eventReference],
  ['top-ups.md', 'docs:events', topUpReference],
  ['top-up.schema.json', 'docs:events', topUpSchemaFile],
])('docs/reference/%s is what "npm run %s" writes', (page, _script, render) => {
  const written = readFileSync(new URL(`../../docs/reference/${page}`, import.meta.url), 'utf8')
  expect(written).toBe(render())
})

test('the reference of events tells a count from a time', () => {
  expect(eventReference()).toMatch(/`count` +\| whole number, 1 or more/)
})

test('docs/reference/events has the schemas that "npm run docs:events" writes', () => {
  const folder = new URL('../../docs/reference/events/', import.meta.url)
  const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
  const written = new Map(readdirSync(folder).map((name) => [name, read(name)]))
  expect(Object.fromEntries(written)).toEqual(Object.fromEntries(eventSchemaFiles()))
})
