/**
 * Writes GBNF, the grammar notation of llama.cpp. What its parser does silently is kept out here:
 * a name may hold letters, digits and hyphens only, and what is no plain character is written by
 * its code point, so that no text of a caller can end a literal or a class.
 */
import type { CharacterSet } from './characters.ts'
import { Work } from './work.ts'

const NAME_LENGTH_MAX = 40
const ROOT = 'root'

/** The rules of one grammar. Names are unique, and no caller's rule is the root. */
export class GrammarRules {
  /** What making them may still cost. */
  readonly work: Work
  readonly #expressions = new Map<string, string>()
  readonly #taken = new Map<string, number>([[ROOT, 1]])
  readonly #shared = new Map<string, string>()
  #characters = 0

  constructor(work: Work = new Work()) {
    this.work = work
  }

  /** How many rules there are. */
  get count(): number {
    return this.#expressions.size
  }

  /** Characters of the rules' text. */
  get characters(): number {
    return this.#characters
  }

  /**
   * Adds a rule; one that is there already, word for word under this name, is used again.
   *
   * @returns the name that was given, made unique
   */
  add(name: string, expression: string): string {
    const key = `\n${name}\n${expression}`
    const known = this.#shared.get(key)
    if (known !== undefined) return known
    const unique = this.reserve(name)
    this.define(unique, expression, key)
    return unique
  }

  /** Takes a name for a rule that is defined later, or never, because others refer to it before. */
  reserve(name: string): string {
    const plain = name.replace(/[^a-zA-Z0-9]+/g, '-').slice(0, NAME_LENGTH_MAX)
    const base = plain.replace(/^-+|-+$/g, '') || 'rule'
    let unique = base
    for (let number = this.#taken.get(base) ?? 0; this.#taken.has(unique); number += 1) {
      unique = `${base}-${number + 1}`
      this.#taken.set(base, number + 1)
    }
    this.#taken.set(unique, this.#taken.get(unique) ?? 1)
    return unique
  }

  /** @param sharedAs what the rule is found by with {@link shared}, from now on */
  define(name: string, expression: string, sharedAs: string | null = null): void {
    this.#expressions.set(name, expression)
    if (sharedAs !== null) this.#shared.set(sharedAs, name)
    this.#characters += lineOf(name, expression).length
  }

  /** The name of a rule that was added under this key before. */
  shared(key: string): string | undefined {
    return this.#shared.get(key)
  }

  /** The grammar whose answers are what the expression says. */
  text(rootExpression: string): string {
    const lines = [...this.#expressions].map(([name, expression]) => lineOf(name, expression))
    return [lineOf(ROOT, rootExpression), ...lines].join('')
  }
}

export function lineOf(name: string, expression: string): string {
  return `${name} ::= ${expression}\n`
}

/** A text as it is: a GBNF string literal. */
export function literal(text: string): string {
  return `"${Array.from(text, (character) => escaped(character, '')).join('')}"`
}

/** One character of a set: a GBNF character class. */
export function characterClass(set: CharacterSet): string {
  const ranges = set.map(([first, last]) => {
    const from = escaped(String.fromCodePoint(first), '-^[]')
    return first === last ? from : `${from}-${escaped(String.fromCodePoint(last), '-^[]')}`
  })
  return `[${ranges.join('')}]`
}

function escaped(character: string, special: string): string {
  const code = character.codePointAt(0) ?? 0
  if (`"\\${special}`.includes(character)) {
    return character === '^' ? '\\x5E' : `\\${character}`
  }
  if (code >= 0x20 && code < 0x7f) return character
  if (code <= 0xff) return `\\x${hex(code, 2)}`
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`
}

function hex(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, '0')
}
