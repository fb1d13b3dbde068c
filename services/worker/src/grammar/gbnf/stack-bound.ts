/**
 * How many ways of reading a text the runtime may have to follow at once, at most. llama.cpp keeps
 * a stack for every way that still matches, and looks at each of them for every token it tries.
 *
 * For each expression three numbers are found, none too small:
 *
 *     begin   before its first character
 *     within  at any time until it is complete
 *     end     beside what may follow, when it may be complete
 *
 * A value of JSON that is complete cannot go on, unless it is a number; so ways of reading that
 * differ within a value all end with it.
 */
import { type CharacterSet, charactersIn, intersection } from './characters.ts'
import { type Expression, partsOf, type Rule } from './expression.ts'
import { FirstCharacters } from './first-characters.ts'
import type { Work } from './work.ts'

interface Width {
  readonly begin: number
  readonly within: number
  readonly end: number
}

type Choice = Expression & { readonly kind: 'choice' }

/** What is known of an option of a choice. */
interface Rivalry {
  /** The other options that the same text may begin. */
  readonly rivals: readonly number[]
  /** How many texts begin with the same character as its own. */
  readonly alike: number
  /** Whether one may be complete while others go on. */
  readonly isNumber: boolean
}

const NOTHING = { begin: 0, within: 0, end: 0, nullable: true }
const NONE: Width = { begin: 0, within: 0, end: 0 }
const ALONE: Rivalry = { rivals: [], alike: 0, isNumber: false }
const ONE: Width = { begin: 1, within: 1, end: 0 }
const NUMBER_CHARACTERS = charactersIn('0123456789-')
const STEPS = 4
/** What follows a whole answer is its end, which llama.cpp holds as a stack of its own. */
const BEHIND = 1

/** What may be read in more ways than allowed. */
export interface TooWide {
  /** The innermost rule of a value that is. */
  readonly rule: Rule
}

/**
 * @param stacksMax ways of reading that are allowed
 * @returns how many there are at most; or a rule that allows too many
 * @throws TooMuchWork
 */
export function stackBound(root: Rule, stacksMax: number, work: Work): number | TooWide {
  return new Widths(stacksMax, work).of(root)
}

class Widths {
  readonly #stacksMax: number
  readonly #work: Work
  readonly #first: FirstCharacters
  readonly #widths = new Map<Rule, Width>()
  readonly #rivals = new Map<Choice, readonly Rivalry[]>()

  constructor(stacksMax: number, work: Work) {
    this.#stacksMax = stacksMax
    this.#work = work
    this.#first = new FirstCharacters(work)
  }

  of(root: Rule): number | TooWide {
    const rules = this.#rulesFrom(root)
    // Innermost rules were found last: from them on, few passes are needed.
    rules.reverse()
    for (let changed = true; changed; ) {
      changed = false
      for (const rule of rules) {
        const before = this.#widths.get(rule) ?? NONE
        const width = this.#ofRule(rule)
        if (width.within > this.#stacksMax) return { rule: this.#valueAround(rule, rules) }
        changed ||= Object.entries(width).some(([key, value]) => value > before[key as keyof Width])
        this.#widths.set(rule, width)
      }
    }
    return this.#whole(root)
  }

  /** The root's own ways; beside those that may go on, like a number's, the answer may be over. */
  #whole(root: Rule): number | TooWide {
    const { within, end } = this.#widths.get(root) ?? NONE
    const stacks = Math.max(within, end + BEHIND)
    return stacks > this.#stacksMax ? { rule: root } : stacks
  }

  /** The first rule behind this one that has a place in the schema. */
  #valueAround(rule: Rule, rules: readonly Rule[]): Rule {
    return rules.slice(rules.indexOf(rule)).find(({ path }) => path !== null) ?? rule
  }

  #rulesFrom(root: Rule): Rule[] {
    const found = new Set([root])
    for (const rule of found) {
      const open = [rule.counted?.item ?? rule.body]
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        this.#work.spend(1)
        if (next.kind === 'rule') found.add(next.rule)
        else open.push(...partsOf(next))
      }
    }
    return [...found]
  }

  #ofRule(rule: Rule): Width {
    if (rule.counted === null) return this.#of(rule.body)
    const { item, readings } = rule.counted
    const { begin, within, end } = this.#repeated(item)
    return { begin: readings * begin, within: readings * within, end: readings * (end + begin) }
  }

  #of(expression: Expression): Width {
    this.#work.spend(1)
    switch (expression.kind) {
      case 'literal':
        return expression.text === '' ? NONE : ONE
      case 'characters':
        return ONE
      case 'rule':
        return this.#widths.get(expression.rule) ?? NONE
      case 'sequence':
        return this.#ofSequence(expression.parts)
      case 'choice':
        return this.#ofChoice(expression)
      case 'repeat':
        return this.#ofRepeat(expression)
    }
  }

  #ofRepeat({ item, min, max }: Expression & { readonly kind: 'repeat' }): Width {
    if (max === 0) return NONE
    if (max !== 1) return this.#repeated(item)
    const { begin, within, end } = this.#of(item)
    return { begin, within, end: min === 0 ? Math.max(begin, end) : end }
  }

  #repeated(item: Expression): Width {
    const { begin, within, end } = this.#of(item)
    return { begin, within: Math.max(within, end + begin), end: end + begin }
  }

  #ofSequence(parts: readonly Expression[]): Width {
    let rest = NOTHING
    for (const part of [...parts].reverse()) {
      const { begin, within, end } = this.#of(part)
      const { nullable } = this.#first.of(part)
      const first = begin + (nullable ? rest.begin : 0)
      const between = end + rest.begin
      rest = {
        begin: first,
        within: Math.max(first, within, between, rest.within),
        end: Math.max(rest.end, rest.nullable ? between : 0, rest.nullable && nullable ? first : 0),
        nullable: nullable && rest.nullable,
      }
    }
    return rest
  }

  #ofChoice(choice: Choice): Width {
    if (choice.settled) return this.#ofSettled(choice)
    const widths = choice.options.map((option) => this.#of(option))
    const begin = widths.reduce((all, width) => all + width.begin, 0)
    let [within, end] = [begin, 0]
    for (const [index, own] of widths.entries()) {
      const { rivals, alike, isNumber } = this.#rivalsOf(choice)[index] ?? ALONE
      this.#work.spend(1 + rivals.length)
      const sum = (name: keyof Width) =>
        rivals.reduce((all, rival) => all + (widths[rival]?.[name] ?? 0), 0)
      // Texts that begin alike are followed until they part: each of them is one way.
      within = Math.max(within, Math.max(own.within, alike) + sum('within'))
      end = Math.max(end, own.end + sum(isNumber ? 'within' : 'end'))
    }
    const { nullable } = this.#first.of(choice)
    return { begin, within, end: nullable ? Math.max(begin, end) : end }
  }

  /** Counts each option until its name has been read, because only then at most one is left. */
  #ofSettled({ options }: Choice): Width {
    const widths = options.map((option) => this.#of(option))
    const begin = options.reduce((all, option, index) => {
      const head = option.kind === 'sequence' ? option.parts[0] : undefined
      return all + (head === undefined ? (widths[index]?.begin ?? 0) : this.#of(head).within)
    }, 0)
    const within = widths.reduce((most, width) => Math.max(most, width.within), begin)
    return { begin, within, end: Math.max(0, ...widths.map(({ end }) => end)) }
  }

  #rivalsOf(choice: Choice): readonly Rivalry[] {
    const known = this.#rivals.get(choice)
    if (known !== undefined) return known
    const options = choice.options.map((option) => {
      const { set } = this.#first.of(option)
      return { set, text: textOf(option) }
    })
    const found = options.map((one) => ({
      rivals: [...options.entries()]
        .filter(([, other]) => other !== one && this.#areRivals(one, other))
        .map(([index]) => index),
      alike: options.filter(({ text }) => text !== null && text[0] === one.text?.[0]).length,
      isNumber: intersection(one.set, NUMBER_CHARACTERS).length > 0,
    }))
    this.#rivals.set(choice, found)
    return found
  }

  /** Whether a text may begin both, also when the texts that they begin with are over. */
  #areRivals(one: Beginning, other: Beginning): boolean {
    this.#work.spend(1 + (one.set.length + other.set.length) / STEPS)
    if (one.text !== null && other.text !== null) {
      return one.text.startsWith(other.text) || other.text.startsWith(one.text)
    }
    return intersection(one.set, other.set).length > 0
  }
}

interface Beginning {
  readonly set: CharacterSet
  /** The text that it begins with in any case, or null. */
  readonly text: string | null
}

function textOf(option: Expression): string | null {
  const head = option.kind === 'sequence' ? option.parts[0] : option
  return head?.kind === 'literal' && head.text !== '' ? head.text : null
}
