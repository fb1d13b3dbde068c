/**
 * What a grammar matches, before it is text: so that parts that can never match are found and left
 * out. An answer could otherwise be led to a place from which no further token is allowed.
 */
import type { CharacterSet } from './characters.ts'
import type { Work } from './work.ts'

export type Expression =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'characters'; readonly set: CharacterSet }
  | { readonly kind: 'rule'; readonly rule: Rule }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  /** A choice without an option never matches. */
  | {
      readonly kind: 'choice'
      readonly options: readonly Expression[]
      /** The names that its options begin with differ: it is not factored. */
      readonly settled?: boolean
    }
  | {
      readonly kind: 'repeat'
      readonly item: Expression
      readonly min: number
      /** Null: without an end. */
      readonly max: number | null
    }

/** A repetition that may be read in several ways at once, of which only one will fit. */
export interface Counted {
  readonly item: Expression
  readonly readings: number
}

/** A named part. Its body may be set later, because rules may refer to each other in circles. */
export class Rule {
  readonly name: string
  /** Rules of the same key say the same, also across the schemas of one grammar. */
  readonly sharedAs: string | null
  body: Expression
  /** The place in the schema that it is the value of, or null. */
  path: string | null = null
  /** What it repeats, where that is counted in blocks: see `repetition.ts`. */
  counted: Counted | null = null

  constructor(name: string, body: Expression = NEVER, sharedAs: string | null = null) {
    this.name = name
    this.body = body
    this.sharedAs = sharedAs
  }
}

export const NEVER: Expression = { kind: 'choice', options: [] }
export const NOTHING: Expression = { kind: 'literal', text: '' }

export const text = (value: string): Expression => ({ kind: 'literal', text: value })
export const characters = (set: CharacterSet): Expression =>
  set.length === 0 ? NEVER : { kind: 'characters', set }
export const reference = (rule: Rule): Expression => ({ kind: 'rule', rule })

/** A rule of its own, and the reference to it. */
export function named(name: string, body: Expression, sharedAs: string | null = null): Expression {
  return reference(new Rule(name, body, sharedAs))
}

export function sequence(...parts: readonly Expression[]): Expression {
  const flat = parts.flatMap((part) => (part.kind === 'sequence' ? part.parts : [part]))
  if (flat.some((part) => part === NEVER)) return NEVER
  const joined: Expression[] = []
  for (const part of flat) {
    const last = joined.at(-1)
    if (part.kind === 'literal' && last?.kind === 'literal') {
      joined[joined.length - 1] = text(last.text + part.text)
    } else if (part.kind !== 'literal' || part.text !== '') {
      joined.push(part)
    }
  }
  const [first] = joined
  if (first === undefined) return NOTHING
  return joined.length === 1 ? first : { kind: 'sequence', parts: joined }
}

export function choice(...options: readonly Expression[]): Expression {
  const flat = options.flatMap((option) => (option.kind === 'choice' ? option.options : [option]))
  const [first] = flat
  if (first === undefined) return NEVER
  return flat.length === 1 ? first : { kind: 'choice', options: flat }
}

/** A choice whose options begin with different names, or which is counted elsewhere. */
export function settledChoice(...options: readonly Expression[]): Expression {
  const all = choice(...options)
  return all.kind === 'choice' && all.options.length > 0 ? { ...all, settled: true } : all
}

export function optional(item: Expression): Expression {
  return { kind: 'repeat', item, min: 0, max: 1 }
}

/**
 * What may be matched by something. Rules that only ever lead to themselves are not among them.
 * Each part is looked at once, and again when a part of it turns out to match.
 */
export class Matchable {
  readonly #matched = new Set<Expression | Rule>()
  /** Expressions and rules that wait, by what they wait for. */
  readonly #waiting = new Map<Expression | Rule, (Expression | Rule)[]>()

  /** @throws TooMuchWork */
  constructor(root: Expression, work: Work) {
    const seen = new Set<Expression | Rule>([root])
    const open: (Expression | Rule)[] = [root]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const parts = next instanceof Rule ? [next.body] : innerOf(next)
      work.spend(2 + parts.length)
      for (const part of parts) {
        const waiting = this.#waiting.get(part)
        if (waiting === undefined) this.#waiting.set(part, [next])
        else waiting.push(next)
        if (!seen.has(part)) open.push(part)
        seen.add(part)
      }
      this.#look(next)
    }
  }

  has(expression: Expression): boolean {
    return this.#matched.has(expression.kind === 'rule' ? expression.rule : expression)
  }

  /** @param first a part of which it is not known yet that it matches */
  #look(first: Expression | Rule): void {
    const open = [first]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (this.#matched.has(next) || !this.#matches(next)) continue
      this.#matched.add(next)
      open.push(...(this.#waiting.get(next) ?? []))
    }
  }

  #matches(part: Expression | Rule): boolean {
    if (part instanceof Rule) return this.#matched.has(part.body)
    switch (part.kind) {
      case 'literal':
      case 'characters':
        return true
      case 'rule':
        return this.#matched.has(part.rule)
      case 'sequence':
        return part.parts.every((each) => this.has(each))
      case 'choice':
        return part.options.some((each) => this.has(each))
      case 'repeat':
        return part.min === 0 || this.has(part.item)
    }
  }
}

function innerOf(expression: Expression): readonly (Expression | Rule)[] {
  return expression.kind === 'rule' ? [expression.rule] : partsOf(expression)
}

/** What an expression is made of, apart from rules. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'sequence':
      return expression.parts
    case 'choice':
      return expression.options
    case 'repeat':
      return [expression.item]
    default:
      return []
  }
}
