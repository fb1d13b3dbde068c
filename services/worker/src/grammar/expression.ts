/**
 * What a grammar matches, before it is text: so that parts that can never match are found and left
 * out. An answer could otherwise be led to a place from which no further token is allowed.
 */
import type { CharacterSet } from './characters.ts'
import { characterClass, type GrammarRules, lineOf, literal } from './gbnf.ts'
import type { Work } from './work.ts'

export type Expression =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'characters'; readonly set: CharacterSet }
  | { readonly kind: 'rule'; readonly rule: Rule }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  /** Without an option it never matches. */
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

/** A choice that is told apart by the names that its options begin with, or counted elsewhere. */
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
  /** By what they wait for. */
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

/** The rules that an expression leads to, in the order in which a reader meets them. */
function rulesIn(root: Expression, wanted: (part: Expression) => boolean): Set<Rule> {
  const found = new Set<Rule>()
  const open = [root]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!wanted(next)) continue
    if (next.kind === 'rule') {
      if (found.has(next.rule)) continue
      found.add(next.rule)
      open.push(next.rule.body)
    }
    open.push(...partsOf(next).toReversed())
  }
  return found
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

/** Says whether this many more rules and characters of text are too many; if so, it throws. */
export type SizeCheck = (rules: number, characters: number) => void

export interface WritingBounds {
  readonly work: Work
  readonly checkSize: SizeCheck
}

/**
 * Adds what an expression needs to the rules.
 *
 * @returns the name of the rule for it
 */
export function addExpression(
  rules: GrammarRules,
  root: Rule,
  matchable: Matchable,
  { work, checkSize }: WritingBounds,
): string {
  const wanted = (part: Expression) => matchable.has(part)
  const found = [...rulesIn(reference(root), wanted)]
  const all = found.filter((rule) => rule === root || !isShorterAsItIs(rule))
  const added = all.filter(({ sharedAs }) => sharedAs === null || !rules.shared(sharedAs))
  checkSize(added.length, 0)
  const names = new Map<Rule, string>()
  for (const rule of all) {
    const known = rule.sharedAs === null ? undefined : rules.shared(rule.sharedAs)
    // Two rules of one key may both be new: the first of them is it.
    names.set(rule, known ?? rules.reserve(rule.name, rule.sharedAs))
  }
  const writer = new ExpressionWriter(matchable, names)
  const lines = new Map<string, string>()
  let characters = 0
  for (const rule of added) {
    const name = names.get(rule)
    if (name === undefined || lines.has(name)) continue
    const line = writer.write(rule.body)
    characters += lineOf(name, line).length
    work.spend(1 + line.length / CHARACTERS_PER_STEP)
    checkSize(lines.size + 1, characters)
    lines.set(name, line)
  }
  for (const [name, expression] of lines) rules.define(name, expression)
  return names.get(root) ?? root.name
}

/** Whether a rule is written out where it is referred to. */
function isShorterAsItIs({ body, sharedAs }: Rule): boolean {
  return sharedAs === null && (body.kind === 'rule' || body.kind === 'literal')
}

const EMPTY = literal('')
/** Characters of a rule that are written in one step. */
const CHARACTERS_PER_STEP = 4

class ExpressionWriter {
  readonly #matchable: Matchable
  readonly #names: ReadonlyMap<Rule, string>

  constructor(matchable: Matchable, names: ReadonlyMap<Rule, string>) {
    this.#matchable = matchable
    this.#names = names
  }

  /** @param inner whether it is a part of a sequence, and needs parentheses where it is many */
  write(expression: Expression, inner = false): string {
    switch (expression.kind) {
      case 'literal':
        return literal(expression.text)
      case 'characters':
        return characterClass(expression.set)
      case 'rule':
        return this.#names.get(expression.rule) ?? this.write(expression.rule.body, inner)
      case 'sequence':
        return this.#writeSequence(expression.parts)
      case 'choice':
        return this.#writeChoice(expression.options, inner)
      case 'repeat':
        return this.#writeRepeat(expression)
    }
  }

  #writeSequence(parts: readonly Expression[]): string {
    const texts = parts.map((part) => this.write(part, true)).filter((each) => each !== EMPTY)
    return texts.length === 0 ? EMPTY : texts.join(' ')
  }

  #writeChoice(options: readonly Expression[], inner: boolean): string {
    const possible = options.filter((option) => this.#matchable.has(option))
    const texts = [...new Set(possible.map((option) => this.write(option)))]
    return inner && texts.length > 1 ? `(${texts.join(' | ')})` : texts.join(' | ')
  }

  #writeRepeat({ item, min, max }: Expression & { kind: 'repeat' }): string {
    if (max === 0 || !this.#matchable.has(item)) return EMPTY
    const single = ['rule', 'characters', 'literal'].includes(item.kind)
    const atom = single ? this.write(item) : `(${this.write(item)})`
    if (min === 1 && max === 1) return atom
    if (min === 0 && max === 1) return `${atom}?`
    if (max === null && min <= 1) return `${atom}${min === 0 ? '*' : '+'}`
    return `${atom}{${min === max ? min : `${min},${max ?? ''}`}}`
  }
}
