/** Writes expressions as the rules of a grammar. */
import { type Expression, type Matchable, partsOf, type Rule, reference } from './expression.ts'
import { characterClass, type GrammarRules, lineOf, literal } from './gbnf.ts'
import type { Work } from './work.ts'

/** Says whether this many more rules and characters of text are too many; if so, it throws. */
export type SizeCheck = (rules: number, characters: number) => void

export interface WritingBounds {
  readonly work: Work
  readonly checkSize: SizeCheck
}

/**
 * Adds what an expression needs to the rules: all of it or, when a bound is reached, nothing.
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
  const names = namesOf(all, rules)
  const writer = new ExpressionWriter(matchable, names)
  const lines = new Map<string, { readonly line: string; readonly sharedAs: string | null }>()
  let characters = 0
  for (const rule of added) {
    const name = names.get(rule)
    if (name === undefined || lines.has(name)) continue
    const line = writer.write(rule.body)
    characters += lineOf(name, line).length
    work.spend(1 + line.length / CHARACTERS_PER_STEP)
    checkSize(lines.size + 1, characters)
    lines.set(name, { line, sharedAs: rule.sharedAs })
  }
  for (const [name, { line, sharedAs }] of lines) rules.define(name, line, sharedAs)
  return names.get(root) ?? root.name
}

/** The names of rules: those that they have already, and new ones. */
function namesOf(all: readonly Rule[], rules: GrammarRules): ReadonlyMap<Rule, string> {
  const names = new Map<Rule, string>()
  const shared = new Map<string, string>()
  for (const rule of all) {
    const key = rule.sharedAs
    // Two rules of one key may both be new: the first of them is it.
    const known = key === null ? undefined : (rules.shared(key) ?? shared.get(key))
    const name = known ?? rules.reserve(rule.name)
    if (key !== null) shared.set(key, name)
    names.set(rule, name)
  }
  return names
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
