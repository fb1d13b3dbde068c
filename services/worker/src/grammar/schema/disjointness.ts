/**
 * Whether no value that is written for one alternative is also valid for another. `oneOf` demands
 * that exactly one branch holds, and a grammar cannot look at the others: so that has to be certain
 * before.
 */
import type { Alternative, Alternatives } from './alternatives.ts'
import type { Demands, ObjectDemand } from './demands.ts'
import type { TypeName } from './keywords.ts'
import type { SchemaDocument, SchemaNode } from './schema-document.ts'
import type { StringTexts } from './string-texts.ts'
import type { ValueCheck } from './value-check.ts'

/** A difference further inside is not looked for. */
const DEPTH_MAX = 6
/** What comparing two alternatives costs for each schema of theirs. */
const COMPARISON_STEPS = 12

export class Disjointness {
  readonly #document: SchemaDocument
  readonly #alternatives: Alternatives
  readonly #demands: Demands
  readonly #texts: StringTexts
  readonly #values: ValueCheck

  constructor(parts: {
    readonly document: SchemaDocument
    readonly alternatives: Alternatives
    readonly demands: Demands
    readonly texts: StringTexts
    readonly values: ValueCheck
  }) {
    this.#document = parts.document
    this.#alternatives = parts.alternatives
    this.#demands = parts.demands
    this.#texts = parts.texts
    this.#values = parts.values
  }

  /** Looks at every branch of a `oneOf` that was not taken. */
  check(alternative: Alternative): void {
    if (!this.#document.isStrict) return
    for (const { member, branch } of alternative.choices) {
      const others = this.#document.children(member, 'oneOf').filter((_, index) => index !== branch)
      if (others.every((other) => this.#isApartFrom(alternative, [other], 0))) continue
      const reason = `has a branch ${branch} whose values may be valid for another branch as well`
      this.#document.unsupported(member, 'oneOf', reason)
    }
  }

  #isApartFrom(written: Alternative, nodes: readonly SchemaNode[], depth: number): boolean {
    return this.#alternatives.of(nodes).every((other) => this.#apart(written, other, depth))
  }

  #allApart(a: readonly SchemaNode[], b: readonly SchemaNode[], depth: number): boolean {
    if (depth > DEPTH_MAX) return false
    return this.#alternatives.of(a).every((each) => this.#isApartFrom(each, b, depth))
  }

  #apart(written: Alternative, other: Alternative, depth: number): boolean {
    this.#document.spend('', COMPARISON_STEPS * (written.members.length + other.members.length))
    const values = this.#demands.values(written.members)
    if (values !== undefined) {
      return [...values.values()].every((value) => !this.#values.meetsAll(value, other.members))
    }
    const named = this.#demands.values(other.members)
    if (named !== undefined) {
      return [...named.values()].every((value) => !this.#values.meetsAll(value, written.members))
    }
    const types = this.#demands.types(other.members)
    return [...this.#demands.writtenTypes(written.members)]
      .filter((type) => types.has(type) || (type === 'number' && types.has('integer')))
      .every((type) => this.#apartWithin(type, written, other, depth))
  }

  #apartWithin(type: TypeName, a: Alternative, b: Alternative, depth: number): boolean {
    if (type === 'string') {
      return this.#texts.apart(this.#texts.of(a.members), this.#texts.of(b.members))
    }
    if (type === 'number' || type === 'integer') {
      const one = this.#demands.numberRange(a.members, type === 'integer')
      const two = this.#demands.numberRange(b.members, false)
      return one.max < two.min || two.max < one.min
    }
    if (type === 'object') {
      const one = this.#demands.object(a.members)
      const two = this.#demands.object(b.members)
      return this.#apartObjects(one, two, depth)
    }
    return false
  }

  /** A property tells them apart, if it is there and its values are apart; or if it cannot be. */
  #apartObjects(written: ObjectDemand, other: ObjectDemand, depth: number): boolean {
    const names = new Set([...written.required, ...other.required])
    return [...names].some((name) => {
      const declared = written.properties.get(name)
      if (declared === undefined && !written.writesAdditional) return true
      const mine = declared ?? written.additional
      const theirs = other.properties.get(name) ?? other.additional
      return this.#allApart(mine, theirs, depth + 1)
    })
  }
}
