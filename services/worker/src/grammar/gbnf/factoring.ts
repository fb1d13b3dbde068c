/**
 * Writes once what alternatives begin with alike:
 *
 *     {"kind":"a","x":1} | {"kind":"b","y":2}   ──▶   {"kind":" ( a","x":1} | b","y":2} )
 *
 * llama.cpp follows all alternatives that still match at once, and within each of them all that
 * match in turn: what begins alike on every level of a schema would multiply. Where alternatives
 * cannot be brought together they stay as they are, and {@link stackBound} says what that costs.
 */
import { type CharacterSet, charactersOf, intersection } from './characters.ts'
import {
  choice,
  type Expression,
  type Matchable,
  NOTHING,
  Rule,
  reference,
  sequence,
  text,
} from './expression.ts'
import { ExpressionKeys } from './expression-keys.ts'
import { FirstCharacters } from './first-characters.ts'
import type { Work } from './work.ts'

/** Rules that bringing alternatives together may add: some alternatives never part. */
const ADDED_RULES_MAX = 1024
/** Parts that may be still to come in an alternative that is brought together with others. */
const PARTS_MAX = 64
/** Beginnings within beginnings that are written into one rule. */
const DEPTH_MAX = 48
const STEPS = 4

/** Parts that follow each other. */
type Parts = readonly Expression[]

/** @returns a rule that matches the same. @throws TooMuchWork */
export function factored(root: Rule, matchable: Matchable, work: Work): Rule {
  return new Factoring(matchable, work).of(root)
}

class Factoring {
  readonly #matchable: Matchable
  readonly #work: Work
  readonly #first: FirstCharacters
  readonly #keys: ExpressionKeys
  readonly #rules = new Map<Rule, Rule>()
  readonly #added = new Map<string, Rule>()
  /** Bodies that are still to be made: later, because rules lead to each other. */
  readonly #open: (() => void)[] = []

  constructor(matchable: Matchable, work: Work) {
    this.#matchable = matchable
    this.#work = work
    this.#first = new FirstCharacters(work)
    this.#keys = new ExpressionKeys(work)
  }

  of(root: Rule): Rule {
    const rule = this.#rule(root)
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) next()
    return rule
  }

  #rule(rule: Rule): Rule {
    // What is shared by schemas says nothing twice.
    if (rule.sharedAs !== null) return rule
    const known = this.#rules.get(rule)
    if (known !== undefined) return known
    const made = new Rule(rule.name)
    made.path = rule.path
    this.#rules.set(rule, made)
    this.#open.push(() => {
      made.body = this.#expression(rule.body)
      if (rule.counted === null) return
      made.counted = { ...rule.counted, item: this.#expression(rule.counted.item) }
    })
    return made
  }

  #expression(expression: Expression): Expression {
    this.#work.spend(STEPS)
    switch (expression.kind) {
      case 'literal':
      case 'characters':
        return expression
      case 'rule':
        return reference(this.#rule(expression.rule))
      case 'sequence':
        return this.#sequence(expression.parts)
      case 'repeat':
        return { ...expression, item: this.#expression(expression.item) }
      case 'choice': {
        const options = expression.options.filter((option) => this.#matchable.has(option))
        if (!expression.settled)
          return this.#merged(
            options.map((option) => [option]),
            0,
          )
        return { ...expression, options: options.map((option) => this.#expression(option)) }
      }
    }
  }

  #sequence(parts: Parts): Expression {
    return sequence(...parts.map((part) => this.#expression(part)))
  }

  #merged(alternatives: readonly Parts[], depth: number): Expression {
    const distinct = new Map<string, Parts>()
    for (const parts of alternatives.flatMap((each) => this.#opened(each))) {
      this.#work.spend(STEPS + parts.length)
      distinct.set(this.#keys.ofAll(parts), parts)
    }
    const groups = this.#groupsByFirst([...distinct.values()])
    return choice(...groups.map((group) => this.#ofGroup(group, depth)))
  }

  /** The alternatives that these parts are; none of them begins with a sequence or a choice. */
  #opened(parts: Parts): readonly Parts[] {
    const [head, ...rest] = parts
    if (head === undefined) return [parts]
    if (!this.#matchable.has(head) && !this.#isCut(head)) return []
    switch (head.kind) {
      case 'literal':
        return head.text === '' ? this.#opened(rest) : [parts]
      case 'sequence':
        return this.#opened([...head.parts, ...rest])
      case 'choice':
        return head.options.flatMap((option) => this.#opened([option, ...rest]))
      case 'rule':
        return isOtherName(head.rule) ? this.#opened([head.rule.body, ...rest]) : [parts]
      default:
        return [parts]
    }
  }

  /** What is left of a literal: not known to be matchable, because it was made here. */
  #isCut(head: Expression): boolean {
    return head.kind === 'literal'
  }

  /** Alternatives that may begin with the same character, directly or by way of others. */
  #groupsByFirst(alternatives: readonly Parts[]): readonly (readonly Parts[])[] {
    let groups: { readonly set: CharacterSet; readonly members: Parts[] }[] = []
    for (const parts of alternatives) {
      const { set } = this.#first.ofAll(parts)
      const isAlike = (group: { readonly set: CharacterSet }) => {
        this.#work.spend(1 + group.set.length / STEPS)
        return intersection(group.set, set).length > 0
      }
      const alike = groups.filter(isAlike)
      if (alike.length === 0) {
        groups.push({ set, members: [parts] })
        continue
      }
      const sets = [...set, ...alike.flatMap((group) => group.set)]
      const [members = [], ...others] = alike.map((group) => group.members)
      const moved = others.flat()
      this.#work.spend(groups.length + (sets.length + moved.length) / STEPS)
      // The first is not copied: it can hold nearly all, for each of the alternatives.
      for (const each of [...moved, parts]) members.push(each)
      const joined = { set: charactersOf(sets), members }
      const isJoined = new Set(alike)
      groups = [...groups.filter((group) => !isJoined.has(group)), joined]
    }
    return groups.map(({ members }) => members)
  }

  /** Alternatives of which each may begin like another. */
  #ofGroup(group: readonly Parts[], depth: number): Expression {
    const [first] = group
    if (first === undefined) return NOTHING
    if (group.length === 1) return this.#sequence(first)
    if (group.every(beginsWithText)) return this.#ofTexts(group, depth)
    const byHead = Map.groupBy(group, ([head = NOTHING]) => this.#keys.of(head))
    const classes = [...byHead.values()]
    if (classes.length === 1) return this.#ofOneHead(group)
    const [opened, closed] = [group.filter(canBeOpened), group.filter((each) => !canBeOpened(each))]
    const isTooFar = depth > DEPTH_MAX || group.some(({ length }) => length > PARTS_MAX)
    if (opened.length > 0 && !isTooFar && this.#added.size < ADDED_RULES_MAX) {
      const bodies = opened.map(([head, ...rest]) => [bodyOf(head), ...rest])
      return this.#merged([...bodies, ...closed], depth + 1)
    }
    const texts = group.filter(beginsWithText)
    const others = classes.filter(([each = []]) => !beginsWithText(each))
    const ofTexts = texts.length === 0 ? [] : [this.#ofGroup(texts, depth)]
    return choice(...ofTexts, ...others.map((each) => this.#ofOneHead(each)))
  }

  #ofOneHead(alternatives: readonly Parts[]): Expression {
    const [first = []] = alternatives
    const common = this.#commonParts(alternatives)
    const rests = alternatives.map((parts) => parts.slice(common))
    return sequence(this.#sequence(first.slice(0, common)), this.#mergedRule(rests))
  }

  /** How many parts all of them begin with. */
  #commonParts([first = [], ...others]: readonly Parts[]): number {
    const keys = first.map((part) => this.#keys.of(part))
    return others.reduce((common, other) => {
      this.#work.spend(common)
      const end = keys.findIndex((key, index) => {
        const part = other[index]
        return index >= common || part === undefined || this.#keys.of(part) !== key
      })
      return end === -1 ? Math.min(common, keys.length) : end
    }, first.length)
  }

  /** All begin with the same character at least. */
  #ofTexts(group: readonly Parts[], depth: number): Expression {
    if (depth > DEPTH_MAX) return choice(...group.map((parts) => this.#sequence(parts)))
    const common = commonBeginning(group.map(textOf))
    this.#work.spend(group.length * (1 + common.length / STEPS))
    const rests = group.map((parts) => [
      text(textOf(parts).slice(common.length)),
      ...parts.slice(1),
    ])
    const isPlain = rests.every(({ length }) => length === 1)
    return sequence(
      text(common),
      isPlain ? this.#merged(rests, depth + 1) : this.#mergedRule(rests),
    )
  }

  /** Puts the merged alternatives into a rule of their own, once for the same alternatives. */
  #mergedRule(alternatives: readonly Parts[]): Expression {
    const byKey = new Map(alternatives.map((parts) => [this.#keys.ofAll(parts), parts]))
    const [only] = byKey.values()
    if (byKey.size === 1 && only !== undefined) return this.#sequence(only)
    const key = [...byKey.keys()].sort().join(' | ')
    this.#work.spend(key.length / STEPS)
    const known = this.#added.get(key)
    if (known !== undefined) return reference(known)
    const rule = new Rule('rest')
    this.#added.set(key, rule)
    this.#open.push(() => {
      rule.body = this.#merged([...byKey.values()], 0)
    })
    return reference(rule)
  }
}

/** Whether a rule only stands for another, or for a text. */
function isOtherName({ body, sharedAs, counted }: Rule): boolean {
  return sharedAs === null && counted === null && ['rule', 'literal'].includes(body.kind)
}

function beginsWithText([head]: Parts): boolean {
  return head?.kind === 'literal'
}

function textOf([head]: Parts): string {
  return head?.kind === 'literal' ? head.text : ''
}

/** What several schemas share, or is counted, is not written out anew. */
function canBeOpened([head]: Parts): boolean {
  return head?.kind === 'rule' && head.rule.sharedAs === null && head.rule.counted === null
}

function bodyOf(head: Expression | undefined): Expression {
  return head?.kind === 'rule' ? head.rule.body : (head ?? NOTHING)
}

/** Finds the beginning that all texts share, without cutting a character in half. */
function commonBeginning(texts: readonly string[]): string {
  const [first = '', ...others] = texts
  let length = first.length
  for (const other of others) {
    let same = 0
    while (same < length && other[same] === first[same]) same += 1
    length = same
  }
  const isHalf = /[\ud800-\udbff]$/.test(first.slice(0, length))
  return first.slice(0, isHalf ? length - 1 : length)
}
