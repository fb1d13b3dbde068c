/** Schemas that are made to cost much: random ones, and known ones with hostile changes. */
import fc from 'fast-check'
import type { SchemaObject } from '../../src/grammar/schema/schema-document.ts'
import { acceptedSchemas } from './accepted-schemas.ts'
import { branches, nestedBranches } from './ambiguous-schemas.ts'
import { randomSchema } from './random-schema.ts'
import { randomOf } from './schema-validator.ts'

/** A number from 0 up to, and without, 1. */
type Random = () => number

const CHANGES_MAX = 6
const COPIES_MAX = 24
const DEPTH_MAX = 40
const NODES_MAX = 20_000
const RANDOM_SCHEMAS = 2_000

const patterns = [
  ...[
    '(a|b)*a(a|b){9}$',
    '^(a?){40}$',
    '(.*.*)*x',
    '^(\\w{0,30}y?){0,30}z$',
    '[\\w\\s\\d-]{1,200}',
  ],
  ...['^(?:[0-9]{1,3}\\.){3}[0-9]{1,3}$', '^[^"\\\\]{0,500}$', '^.{0,900}$', '(ab|a|b)+c{3,50}$'],
]
const numbers = [0, -1, 1e-300, 5e-324, 1e15, 2 ** 53, 255, 256, 1000, 4097, 100_000, 0.1]
const formats = ['date-time', 'uri', 'ipv6', 'email', 'duration', 'hostname']

/** @returns the same schema for the same seed */
export function hostileSchema(seed: number): SchemaObject {
  const random = randomOf(seed)
  let schema: unknown = structuredClone(base(random))
  const changes = below(random, CHANGES_MAX)
  for (let change = 0; change < changes; change += 1) {
    schema = changed(schema, schema, random, 0)
    if (nodesOf(schema) > NODES_MAX) break
  }
  return (isObject(schema) ? schema : { anyOf: [schema] }) as SchemaObject
}

/** Made once, because making one alone takes as long as making many. */
const randomSchemas = fc.sample(randomSchema, { seed: 7, numRuns: RANDOM_SCHEMAS })

function base(random: Random): unknown {
  const kind = below(random, 10)
  if (kind < 6) return randomSchemas[below(random, RANDOM_SCHEMAS)]
  if (kind < 8) return acceptedSchemas[below(random, acceptedSchemas.length)]?.schema
  if (kind === 8) return nestedBranches(2 + below(random, COPIES_MAX), 1 + below(random, 3))
  const names = Array.from({ length: below(random, 300) }, (_, index) => [`name${index}`, {}])
  return { type: 'object', properties: Object.fromEntries(names) }
}

/** Walks down to some place and changes what stands there. */
function changed(value: unknown, root: unknown, random: Random, depth: number): unknown {
  if (!isObject(value) || depth > DEPTH_MAX) return value
  const keys = Object.keys(value)
  const key = keys[below(random, keys.length)]
  if (key === undefined || random() < 0.35) return hostile(value, root, random)
  return { ...value, [key]: within(value[key], root, random, depth + 1) }
}

function within(value: unknown, root: unknown, random: Random, depth: number): unknown {
  if (typeof value === 'number') return numbers[below(random, numbers.length)]
  if (!Array.isArray(value)) return changed(value, root, random, depth)
  const index = below(random, value.length)
  return value.with === undefined || value.length === 0
    ? value
    : value.with(index, changed(value[index], root, random, depth))
}

/** One of the ways in which a schema costs more than it looks. */
function hostile(schema: SchemaObject, root: unknown, random: Random): unknown {
  const copies = Array.from({ length: 1 + below(random, COPIES_MAX) }, () => schema)
  const number = numbers[below(random, numbers.length)]
  const changes: readonly (() => unknown)[] = [
    () => ({ anyOf: copies.map((copy, index) => ({ ...copy, title: `${index}` })) }),
    () => ({ anyOf: branches(copies.length, () => schema) }),
    () => ({ oneOf: copies.map((copy, index) => ({ ...copy, minLength: index })) }),
    () => ({ allOf: [...copies, schema] }),
    () => ({ type: 'object', properties: Object.fromEntries(copies.map((c, i) => [`p${i}`, c])) }),
    () => ({ ...schema, pattern: patterns[below(random, patterns.length)], maxLength: number }),
    () => ({ ...schema, format: formats[below(random, formats.length)], type: 'string' }),
    () => ({ type: 'array', items: schema, minItems: 1, maxItems: number }),
    () => ({ ...schema, additionalProperties: schema, minProperties: 2, maxProperties: number }),
    () => ({ ...schema, $ref: random() < 0.5 ? '#' : '#/$defs/a' }),
    () => ({ anyOf: [schema, { $ref: '#/$defs/b' }, { type: ['object', 'array', 'number'] }] }),
    () => ({ ...schema, minimum: number, exclusiveMaximum: (number ?? 0) * 3 + 1 }),
    () => ({ ...schema, properties: { ...(isObject(root) ? { root } : {}), b: schema } }),
    () => ({ enum: copies.map((_, index) => `${'long '.repeat(below(random, 200))}${index}`) }),
  ]
  return changes[below(random, changes.length)]?.()
}

function nodesOf(root: unknown): number {
  let nodes = 0
  const open = [root]
  for (let next = open.pop(); next !== undefined && nodes <= NODES_MAX; next = open.pop()) {
    nodes += 1
    if (typeof next === 'object' && next !== null) open.push(...Object.values(next))
  }
  return nodes
}

function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function below(random: Random, count: number): number {
  return Math.floor(random() * count)
}
