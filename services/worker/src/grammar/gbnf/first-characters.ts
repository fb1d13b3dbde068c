/** Which characters an expression can begin with, and whether it can be nothing at all. */
import { type CharacterSet, charactersIn, charactersOf, EVERY_CHARACTER } from './characters.ts'
import type { Expression, Rule } from './expression.ts'
import type { Work } from './work.ts'

export interface First {
  readonly set: CharacterSet
  readonly nullable: boolean
}

const NOTHING: First = { set: [], nullable: true }

export class FirstCharacters {
  readonly #work: Work
  readonly #known = new Map<Rule | Expression, First>()

  #open = 0

  constructor(work: Work) {
    this.#work = work
  }

  /** Finds the first characters of parts that follow each other. */
  ofAll(parts: readonly Expression[]): First {
    let first = NOTHING
    for (const part of parts) {
      if (!first.nullable) return first
      const next = this.of(part)
      first = { set: this.#joined([first.set, next.set]), nullable: next.nullable }
    }
    return first
  }

  of(expression: Expression): First {
    const known = this.#known.get(expression)
    if (known !== undefined) return known
    const first = this.#of(expression)
    // A rule that is being looked at has said nothing for good yet.
    if (this.#open === 0) this.#known.set(expression, first)
    return first
  }

  #of(expression: Expression): First {
    switch (expression.kind) {
      case 'literal': {
        const [character] = expression.text
        if (character === undefined) return NOTHING
        return { set: charactersIn(character), nullable: false }
      }
      case 'characters':
        return { set: expression.set, nullable: false }
      case 'rule':
        return this.#ofRule(expression.rule)
      case 'sequence':
        return this.ofAll(expression.parts)
      case 'choice': {
        const options = expression.options.map((option) => this.of(option))
        const set = this.#joined(options.map((option) => option.set))
        return { set, nullable: options.some(({ nullable }) => nullable) }
      }
      case 'repeat': {
        const { set, nullable } = this.of(expression.item)
        return { set, nullable: nullable || expression.min === 0 }
      }
    }
  }

  /** No rule begins with itself; if one did, that would add nothing to what it begins with. */
  #ofRule(rule: Rule): First {
    const known = this.#known.get(rule)
    if (known !== undefined) return known
    this.#known.set(rule, { set: [], nullable: false })
    this.#open += 1
    const first = this.of(rule.body)
    this.#open -= 1
    this.#known.set(rule, first)
    return first
  }

  #joined(sets: readonly CharacterSet[]): CharacterSet {
    if (sets.includes(EVERY_CHARACTER)) return EVERY_CHARACTER
    const ranges = sets.flat()
    this.#work.spend(1 + ranges.length)
    return charactersOf(ranges)
  }
}
