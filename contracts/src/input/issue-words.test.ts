import { expect, test } from 'vitest'
import { z } from 'zod'
import { pageLimit } from '../admin/declaration/fields.ts'
import { usageQuery } from '../wire/usage.ts'
import { parsedInput } from './parsed-input.ts'
import { queryNumber } from './query-number.ts'

const pages = z.strictObject({ limit: pageLimit })
const whole = z.int().min(1).max(100)
const modes = z.enum(['none', 'auto'])
const read = queryNumber(whole)

test.each([
  [whole, 101, 'must be at most 100, and is 101'],
  [whole, 0, 'must be at least 1, and is 0'],
  [whole, 1e20, 'must be at most 100, and is 100000000000000000000'],
  [whole, 1.5, 'must be a whole number, and is 1.5'],
  [whole, null, 'must be a number, not null'],
  [read, 'x', 'must be a number'],
  [read, '9'.repeat(400), 'must be a number, and is too large'],
  [z.number().gt(0), 0, 'must be more than 0, and is 0'],
  [z.string(), 5, 'must be text, not a number'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().max(3), 'secret', 'must have at most 3 characters, and has 6'],
  [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 entry, and has 2'],
  [z.record(z.string(), z.string()), [], 'must be an object, not a list'],
  [z.union([z.string(), z.array(z.string())]), 5, 'must be text or a list'],
  [z.union([modes, z.object({ name: z.string() })]), 5, 'must be one of none, auto or an object'],
  [z.union([z.string(), z.union([z.number(), z.null()])]), [], 'must be text or a number or null'],
  [z.enum(['csv', 'jsonl']), 'pdf', 'must be one of csv, jsonl'],
  [z.literal(true), false, 'must be true'],
  [z.string().max(3, 'is too long'), 'four', 'is too long'],
])('%#: says what the field may be, and what it is', (field, value, words) => {
  const refusal = { param: 'field', message: `field: ${words}` }
  expect(() => parsedInput(z.object({ field }), { field: value })).toThrow(
    expect.objectContaining(refusal),
  )
})

test.each([
  [{ group_by: '' }, 'group_by', 'must be some of key, model, format, class, with commas'],
  [{ group_by: 'key,day' }, 'group_by', 'must be some of key, model, format, class, with commas'],
  [{ bucket: 'day' }, 'bucket', 'there is no such parameter'],
])('names the field of %j', (given, param, words) => {
  expect(() => parsedInput(usageQuery, given)).toThrow(
    expect.objectContaining({ param, message: `${param}: ${words}` }),
  )
})

const part = z.strictObject({ content: z.union([z.string(), z.array(z.string())]) })

test.each([
  [{ content: 5 }, 'parts[0].content', 'must be text or a list'],
  [{ content: [5] }, 'parts[0].content[0]', 'must be text, not a number'],
])('names the field of %j in a list that may be a text', (given, param, words) => {
  const parts = z.object({ parts: z.union([z.string(), z.array(part)]) })
  expect(() => parsedInput(parts, { parts: [given] })).toThrow(
    expect.objectContaining({ param, message: `${param}: ${words}` }),
  )
})

test('a page is told its own bound, however large the number', () => {
  const message = 'limit: must be at most 1000, and is 100000000000000000000'
  expect(() => parsedInput(pages, { limit: '99999999999999999999' })).toThrow(message)
})
