/**
 * Whether a value that a schema names (`enum`, `const`) meets what else the schema demands of it:
 * such values are written out as they are, and must be valid.
 */
import { ExactNumber } from '@svc/contracts/exact-number'
import { canonical, type Demands } from './demands.ts'
import {
  isMember,
  isObject,
  type SchemaDocument,
  type SchemaMember,
  type SchemaNode,
} from './schema-document.ts'
import type { StringTexts } from './string-texts.ts'
import { checkKeywords } from './unsupported-keywords.ts'

/** Named values are small; deeper ones are not looked into. */
const DEPTH_MAX = 64
/** Characters of a named value that are written, or compared, in one step. */
const CHARACTERS_PER_STEP = 8

export class ValueCheck {
  readonly #document: SchemaDocument
  readonly #demands: Demands
  readonly #texts: StringTexts

  constructor(document: SchemaDocument, demands: Demands, texts: StringTexts) {
    this.#document = document
    this.#demands = demands
    this.#texts = texts
  }

  /** Whether the schemas of an alternative hold, whose branches are among them already. */
  meetsAll(value: unknown, members: readonly SchemaMember[]): boolean {
    this.#document.spend(members[0]?.path ?? '', 4 * members.length)
    return members.every((member) => this.#meets(value, member, 0))
  }

  #meets(value: unknown, member: SchemaMember, depth: number): boolean {
    return (
      this.#fitsType(value, member) &&
      this.#isNamed(value, member) &&
      this.#fitsShape(value, member, depth)
    )
  }

  #holds(value: unknown, node: SchemaNode, depth: number): boolean {
    if (!isMember(node)) return node.schema === true
    this.#document.spend(node.path, 4)
    if (depth > DEPTH_MAX) {
      this.#document.unsupported(node, 'depth', 'is nested too deeply')
      return true
    }
    checkKeywords(this.#document, [node], this.#demands.types([node]))
    const target = this.#document.target(node)
    const all = [...(target ? [target] : []), ...this.#document.children(node, 'allOf')]
    return (
      this.#meets(value, node, depth) &&
      all.every((each) => this.#holds(value, each, depth + 1)) &&
      this.#fitsBranches(value, node, depth)
    )
  }

  #fitsBranches(value: unknown, member: SchemaMember, depth: number): boolean {
    const holding = (keyword: string) => {
      const branches = this.#document.children(member, keyword)
      const holds = branches.filter((branch) => this.#holds(value, branch, depth + 1))
      return { branches: branches.length, holds: holds.length }
    }
    const any = holding('anyOf')
    const one = holding('oneOf')
    return (any.branches === 0 || any.holds > 0) && (one.branches === 0 || one.holds === 1)
  }

  #fitsType(value: unknown, member: SchemaMember): boolean {
    const types = this.#demands.types([member])
    if (value === null) return types.has('null')
    if (Array.isArray(value)) return types.has('array')
    if (value instanceof ExactNumber || typeof value === 'number') {
      return types.has('number') || (types.has('integer') && isWhole(value))
    }
    return types.has(typeof value as 'boolean' | 'string' | 'object')
  }

  #isNamed(value: unknown, member: SchemaMember): boolean {
    const named = this.#demands.values([member])
    if (named === undefined) return true
    const text = canonical(value)
    this.#document.spend(member.path, 1 + text.length / CHARACTERS_PER_STEP)
    return named.has(text)
  }

  #fitsShape(value: unknown, member: SchemaMember, depth: number): boolean {
    if (typeof value === 'string') return this.#texts.allows(this.#texts.of([member]), value)
    if (value instanceof ExactNumber || typeof value === 'number') {
      const { min, max, integer } = this.#demands.numberRange([member], false)
      const nearest = value instanceof ExactNumber ? value.nearest : value
      return nearest >= min && nearest <= max && (!integer || isWhole(value))
    }
    if (Array.isArray(value)) return this.#fitsArray(value, member, depth)
    return !isObject(value) || this.#fitsObject(value, member, depth)
  }

  #fitsArray(value: readonly unknown[], member: SchemaMember, depth: number): boolean {
    const { prefix, rest, min, max } = this.#demands.array([member])
    const fits = (item: unknown, index: number) =>
      (prefix[index] ?? rest).every((node) => this.#holds(item, node, depth + 1))
    return value.length >= min && value.length <= (max ?? value.length) && value.every(fits)
  }

  #fitsObject(
    value: Readonly<Record<string, unknown>>,
    member: SchemaMember,
    depth: number,
  ): boolean {
    const { properties, required, additional, min, max } = this.#demands.object([member])
    const names = Object.keys(value)
    const fits = (name: string) =>
      (properties.get(name) ?? additional).every((node) =>
        this.#holds(value[name], node, depth + 1),
      )
    return (
      [...required].every((name) => names.includes(name)) &&
      names.length >= min &&
      names.length <= (max ?? names.length) &&
      names.every(fits)
    )
  }
}

function isWhole(value: number | ExactNumber): boolean {
  return value instanceof ExactNumber ? value.isWhole : Number.isInteger(value)
}
