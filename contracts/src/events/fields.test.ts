/**
 * No event holds a text about people. Every field that can hold any text at all is either the word
 * of a text that is kept beside the log, or one of those below, with what is in it.
 */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { freeText } from './account.ts'
import { eventSchemas } from './storage/codec.ts'

/**
 * Texts that the program makes, or one of a few words: never what somebody has typed about
 * somebody.
 */
const made: Readonly<Record<string, string>> = {
  accountId: 'an id',
  adjustmentId: 'an id',
  bodyHash: 'a hash',
  changeId: 'an id',
  gatewayId: 'an id',
  grantId: 'an id',
  keyHash: 'a hash',
  keyId: 'an id',
  lastBlockHash: 'a hash',
  lastFour: 'the end of a secret',
  linkId: 'an id',
  passkeyId: 'an id',
  refundId: 'an id',
  requestId: 'an id',
  runId: 'an id',
  secretHash: 'a hash',
  tokenId: 'an id',
  userId: 'an id',
  version: 'the id of a price',
  workerId: 'an id',
}

/** Fields of one event, where the name alone does not say how the text is made. */
const madeIn: Readonly<Record<string, string>> = {
  'RequestAccepted.model': 'a model that is served',
  'PricePublished.model': 'a model that is served',
  'PricePublished.priceList': 'a short name of the operator for a list: a pattern holds it to that',
  'PriceListSet.priceList': 'the same',
  'RequestFailed.reason': 'a code of the error catalogue',
  'RequestAbandoned.reason': 'one of a few words',
  'RecordsRead.operation': 'the name of an operation',
  'RecordsRead.subject.*': 'an id, or a time',
  'RecordsRead.subject{}': 'the name of a field',
  'SubjectTextsErased.subject': 'an id',
  'IdentityLinked.issuer': "the address of the operator's identity provider",
  'IdentityUnlinked.issuer': 'the same',
  'CheckpointSigned.note': 'a signed checkpoint of the log: its name, size and hash',
  'LogVerified.from': 'a position of the log: a pattern holds it to that',
  'LogVerified.head': 'a position and a hash',
  'LogVerified.position': 'a position of the log: a pattern holds it to that',
  'AccountOpened.metadata{}': "the name of a field in the operator's own system",
  'ApiKeyCreated.metadata{}': 'the same',
}

interface Field {
  readonly path: string
  readonly isWord: boolean
}

/** Every text of a schema; `*` is any entry of a record, and `{}` its names. */
function textsIn(schema: z.core.$ZodType, path: string): readonly Field[] {
  if (schema === freeText) return [{ path, isWord: true }]
  if (schema instanceof z.ZodString) return [{ path, isWord: false }]
  if (schema instanceof z.ZodNullable) return textsIn(schema.unwrap(), path)
  if (schema instanceof z.ZodArray) return textsIn(schema.element, path)
  if (schema instanceof z.ZodObject) {
    return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, field]) =>
      textsIn(field, `${path}.${name}`),
    )
  }
  if (schema instanceof z.ZodRecord) {
    return [...namesIn(schema.keyType, path), ...textsIn(schema.valueType, `${path}.*`)]
  }
  const isBounded = BOUNDED.some((kind) => schema instanceof kind)
  if (!isBounded) throw new Error(`${path}: this test knows no such schema`)
  return []
}

/** The names of a record's entries are shown as they are, whatever the schema says. */
function namesIn(schema: z.core.$ZodType, path: string): readonly Field[] {
  return textsIn(schema, `${path}{}`).map((field) => ({ ...field, isWord: false }))
}

/** Schemas that hold no text, but those that their values spell out. */
const BOUNDED = [z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral, z.ZodPipe, z.ZodCodec]

function isListed({ path }: Field): boolean {
  const name = path.slice(path.lastIndexOf('.') + 1)
  return Object.hasOwn(madeIn, path) || Object.hasOwn(made, name)
}

const fields = Object.entries(eventSchemas).flatMap(([type, schema]) => textsIn(schema, type))

test('a text in an event is a word of one beside the log, or is listed here', () => {
  const unknown = fields.filter((field) => !field.isWord && !isListed(field))
  expect(unknown.map(({ path }) => path)).toEqual([])
})

test('what is listed is there', () => {
  const paths = fields.filter(({ isWord }) => !isWord).map(({ path }) => path)
  const names = new Set(paths.map((path) => path.slice(path.lastIndexOf('.') + 1)))
  expect(Object.keys(madeIn).filter((path) => !paths.includes(path))).toEqual([])
  expect(Object.keys(made).filter((name) => !names.has(name))).toEqual([])
})

test('an event with a text of its own is found', () => {
  const grown = eventSchemas.AccountFrozen.extend({ note: z.string().nullable() })
  const found = textsIn(grown, 'AccountFrozen').filter((each) => !each.isWord && !isListed(each))
  expect(found.map(({ path }) => path)).toEqual(['AccountFrozen.note'])
})
