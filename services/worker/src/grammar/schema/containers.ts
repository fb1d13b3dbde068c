/**
 * Objects and arrays. Properties come in the order of declaration, each at most once; an optional
 * one is left out by going on to the next, so that the rules are as many as the properties.
 */
import {
  choice,
  type Expression,
  NEVER,
  NOTHING,
  named,
  Rule,
  reference,
  sequence,
  settledChoice,
  text,
} from '../gbnf/expression.ts'
import { PLAIN_MAX_NESTED, repeated } from '../gbnf/repetition.ts'
import { anyObject, space } from '../json/json-text.ts'
import type { ArrayDemand, ObjectDemand } from './demands.ts'
import type { SchemaNode } from './schema-document.ts'

/** Properties are counted one by one only up to here. */
const COUNTED_PROPERTIES_MAX = 256

export interface ObjectParts {
  readonly name: string
  /** The expression of a property's value. */
  readonly value: (nodes: readonly SchemaNode[], name: string) => Expression
  /** A name that is not declared: what follows its opening quote. */
  readonly otherName: () => Expression
  readonly unsupported: (keyword: string, reason: string) => void
  readonly spend: () => void
}

export function objectExpression(demand: ObjectDemand, parts: ObjectParts): Expression {
  const { properties, additional, writesAdditional, min, max } = demand
  const isAny = properties.size === 0 && writesAdditional && min === 0 && max === null
  if (isAny && additional.every(({ schema }) => schema === true)) return anyObject
  return new Members(demand, parts).expression()
}

/** What was written so far, as far as a bound on the number of members makes that matter. */
interface Count {
  readonly all: number
  /** Members that certainly have names of their own. */
  readonly distinct: number
  /** Whether a free name was written: a second one may be the same. */
  readonly other: boolean
}

const NONE: Count = { all: 0, distinct: 0, other: false }

class Members {
  readonly #demand: ObjectDemand
  readonly #parts: ObjectParts
  readonly #names: readonly string[]
  /** The index behind the last required property. Before it the object may not end. */
  readonly #endsFrom: number
  readonly #min: number
  readonly #max: number | null
  readonly #known = new Map<string, Expression>()
  readonly #other: { readonly name: Expression; readonly value: Expression } | null

  constructor(demand: ObjectDemand, parts: ObjectParts) {
    this.#demand = demand
    this.#parts = parts
    this.#names = [...demand.properties.keys()]
    this.#endsFrom = 1 + this.#names.findLastIndex((name) => demand.required.has(name))
    this.#min = this.#neededMin()
    this.#max = this.#neededMax()
    const value = demand.writesAdditional
      ? parts.value(demand.additional, `${parts.name}-other`)
      : NEVER
    this.#other = value === NEVER ? null : { name: parts.otherName(), value }
  }

  expression(): Expression {
    const first = sequence(text('"'), this.#member(0, NONE))
    const empty = this.#mayEnd(0, NONE) ? text('}') : NEVER
    return sequence(text('{'), choice(first, empty))
  }

  /** The minimum, where it is not met by what is required anyway. */
  #neededMin(): number {
    const { min, required, writesAdditional } = this.#demand
    if (min <= required.size) return 0
    if (min <= this.#names.length + (writesAdditional ? 1 : 0) && this.#isCountable(min)) return min
    this.#parts.unsupported('minProperties', 'is not enforced for names that are not declared')
    return 0
  }

  /** The maximum, where more could be written. */
  #neededMax(): number | null {
    const { max, writesAdditional } = this.#demand
    if (max === null || (max >= this.#names.length && !writesAdditional)) return null
    if (this.#isCountable(max)) return max
    this.#parts.unsupported('maxProperties', `is above ${COUNTED_PROPERTIES_MAX}`)
    return null
  }

  #isCountable(bound: number): boolean {
    return bound <= COUNTED_PROPERTIES_MAX
  }

  /** A member from this property on, behind its opening quote, and all that follows it. */
  #member(index: number, count: Count): Expression {
    if (this.#max !== null && count.all >= this.#max) return NEVER
    const key = `${index} ${count.all} ${count.distinct} ${count.other}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    this.#parts.spend()
    const rule = new Rule(`${this.#parts.name}-${this.#names[index] ?? 'more'}`)
    this.#known.set(key, reference(rule))
    rule.body = this.#memberBody(index, count)
    return reference(rule)
  }

  #memberBody(index: number, count: Count): Expression {
    const name = this.#names[index]
    if (name === undefined) return this.#otherMember(index, count)
    const nodes = this.#demand.properties.get(name) ?? []
    const value = this.#parts.value(nodes, `${this.#parts.name}-${name}`)
    const written = sequence(
      ...[text(`${JSON.stringify(name).slice(1)}:`), space, value],
      this.#rest(index + 1, this.#one(count, false)),
    )
    const later = this.#demand.required.has(name) ? NEVER : this.#member(index + 1, count)
    return settledChoice(written, later)
  }

  #otherMember(index: number, count: Count): Expression {
    if (this.#other === null) return NEVER
    return sequence(
      ...[this.#other.name, text(':'), space, this.#other.value],
      this.#rest(index, this.#one(count, true)),
    )
  }

  #one({ all, distinct, other }: Count, isOther: boolean): Count {
    const counts = isOther && other ? 0 : 1
    return {
      all: this.#max === null ? 0 : all + 1,
      distinct: Math.min(distinct + counts, this.#min),
      other: this.#min > 0 && (other || isOther),
    }
  }

  #rest(index: number, count: Count): Expression {
    const more = sequence(text(','), space, text('"'), this.#member(index, count))
    return choice(more, this.#mayEnd(index, count) ? text('}') : NEVER)
  }

  #mayEnd(index: number, { distinct }: Count): boolean {
    return index >= this.#endsFrom && distinct >= this.#min
  }
}

export function arrayExpression(
  demand: ArrayDemand,
  item: (nodes: readonly SchemaNode[]) => Expression,
): Expression {
  const { prefix, min, writesRest } = demand
  const declared = Math.max(prefix.length, min)
  const max = writesRest ? demand.max : Math.min(demand.max ?? declared, declared)
  if (max !== null && min > max) return NEVER
  const mayEndAt = (count: number): Expression => (count >= min ? text(']') : NEVER)
  const mayGoOnAt = (count: number, on: Expression): Expression =>
    max === null || count < max ? on : NEVER
  const rest = mayGoOnAt(prefix.length, item(demand.rest))
  const next = named('next-item', sequence(text(','), space, rest))
  /** What follows this many items, none of them with a form of its own to come. */
  const restAfter = (count: number): Expression => {
    const most = max === null ? null : Math.max(0, max - count)
    const others = repeated(next, Math.max(0, min - count), most, PLAIN_MAX_NESTED)
    return sequence(others, text(']'))
  }
  if (prefix.length === 0) {
    return sequence(text('['), choice(sequence(rest, restAfter(1)), mayEndAt(0)))
  }
  let after = restAfter(prefix.length)
  for (const [index, nodes] of [...prefix.entries()].reverse()) {
    const separator = index === 0 ? NOTHING : sequence(text(','), space)
    const on = mayGoOnAt(index, sequence(separator, item(nodes), after))
    after = named('items', choice(on, mayEndAt(index)))
  }
  return sequence(text('['), after)
}
