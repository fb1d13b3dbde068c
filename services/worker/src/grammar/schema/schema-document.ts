/** A schema as one document: its parts, where they stand, and what its references lead to. */

import { ExactNumber } from '@svc/contracts/exact-number'
import { TooMuchWork, type Work } from '../gbnf/work.ts'
import { defaultSchemaLimits, type SchemaLimits } from './schema-limits.ts'
import { UnsupportedSchema } from './unsupported-schema.ts'

export type JsonSchema = boolean | SchemaObject
export type SchemaObject = Readonly<Record<string, unknown>>

/** A part of the document. */
export interface SchemaNode {
  readonly schema: JsonSchema
  /** The segments from the root on, with points between them. Empty for the root. */
  readonly path: string
}

/** A part that is an object: what has keywords. */
export interface SchemaMember extends SchemaNode {
  readonly schema: SchemaObject
}

export interface SchemaOptions {
  /** What is done with what cannot be enforced: the schema is refused, or that part ignored. */
  readonly unsupported: 'refuse' | 'strip'
  /** The default ones, where none are given. */
  readonly limits?: SchemaLimits
  /** What compiling it may cost; where it is not given, what the grammar's rules have left. */
  readonly work?: Work
}

/** Levels of the JSON text: a schema within a property is two levels below. */
const JSON_DEPTH_MAX = 256
export const TOO_MUCH_WORK = 'takes too many steps to compile'

export class SchemaDocument {
  readonly #root: JsonSchema
  readonly #strict: boolean
  readonly #numbers = new Map<SchemaObject, number>()
  /** What compiling it may still cost. */
  readonly work: Work
  readonly limits: SchemaLimits

  /** @throws UnsupportedSchema when it is nested too deeply to be walked through */
  constructor(root: JsonSchema, options: SchemaOptions, work: Work) {
    this.work = work
    this.limits = options.limits ?? defaultSchemaLimits
    if (isDeeper(root, JSON_DEPTH_MAX, work)) {
      throw new UnsupportedSchema('', 'depth', `is nested more than ${JSON_DEPTH_MAX} deep`)
    }
    const bytes = Buffer.byteLength(JSON.stringify(root) ?? '')
    if (bytes > this.limits.bytesMax) {
      throw new UnsupportedSchema('', 'size', `is above ${this.limits.bytesMax} bytes`)
    }
    this.#root = root
    this.#strict = options.unsupported === 'refuse'
  }

  /** Whether what cannot be enforced is refused. */
  get isStrict(): boolean {
    return this.#strict
  }

  get root(): SchemaNode {
    return { schema: this.#root, path: '' }
  }

  /** A keyword that is not enforced: ends the work, or leaves the keyword out. */
  unsupported(node: SchemaNode, keyword: string, reason: string): void {
    if (this.#strict) throw new UnsupportedSchema(joined(node.path, keyword), keyword, reason)
  }

  /** Counts work, so that no schema costs much more than its size. */
  spend(path: string, steps: number): void {
    try {
      this.work.spend(steps)
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error
      throw new UnsupportedSchema(path, 'size', TOO_MUCH_WORK)
    }
  }

  /** A number that stands for a part, wherever it was reached from. */
  numberOf(schema: SchemaObject): number {
    const known = this.#numbers.get(schema) ?? this.#numbers.size
    this.#numbers.set(schema, known)
    return known
  }

  /** The schema that a keyword holds, directly or under these keys. Anything, if it is none. */
  child(member: SchemaMember, keyword: string, ...keys: readonly string[]): SchemaNode {
    let value = own(member.schema, keyword)
    for (const key of keys) value = own(value, key)
    const path = [keyword, ...keys].reduce(joined, member.path)
    if (isSchema(value)) return { schema: value, path }
    if (this.#strict) throw new UnsupportedSchema(path, keyword, 'is not a schema')
    return { schema: true, path }
  }

  /** The schemas of a keyword that holds a list of them. */
  children(member: SchemaMember, keyword: string): readonly SchemaNode[] {
    const list = own(member.schema, keyword)
    if (list === undefined) return []
    if (!Array.isArray(list)) {
      this.unsupported(member, keyword, 'is not a list of schemas')
      return []
    }
    return list.map((_, index) => this.child(member, keyword, String(index)))
  }

  /** What `$ref` of a schema leads to, or undefined where it is left out. */
  target(member: SchemaMember): SchemaNode | undefined {
    const reference = own(member.schema, '$ref')
    if (reference === undefined) return undefined
    const segments = pointerSegments(reference)
    if (segments === undefined) {
      this.unsupported(member, '$ref', 'does not refer to a place in this schema (`#/…`)')
      return undefined
    }
    let value: unknown = this.#root
    for (const segment of segments) value = own(value, segment)
    if (isSchema(value)) return { schema: value, path: segments.join('.') }
    this.unsupported(member, '$ref', 'refers to a place where there is no schema')
    return undefined
  }
}

export function isMember(node: SchemaNode): node is SchemaMember {
  return typeof node.schema === 'object'
}

/** What an object or a list holds itself under a key, and nothing that it inherits. */
export function own(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Readonly<Record<string, unknown>>)[key]
}

export function isObject(value: unknown): value is SchemaObject {
  if (typeof value !== 'object' || value === null) return false
  return !Array.isArray(value) && !(value instanceof ExactNumber)
}

function joined(path: string, segment: string): string {
  return path === '' ? segment : `${path}.${segment}`
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value)
}

function pointerSegments(reference: unknown): readonly string[] | undefined {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined
  try {
    return reference
      .split('/')
      .slice(1)
      .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
  } catch {
    return undefined
  }
}

/**
 * Tells whether a schema is nested more deeply, without recursion, because the depth is what is in
 * question.
 */
function isDeeper(root: unknown, depthMax: number, work: Work): boolean {
  let level = [root]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) return true
    work.spend(level.length)
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
  }
  return false
}
