/**
 * Reads the regular expressions of JSON Schema: those of ECMAScript with the `u` flag, as far as
 * they are regular. Look-around, back references and word boundaries are refused.
 */
import { type CharacterSet, charactersIn, charactersOf, complement } from '../gbnf/characters.ts'

export type Pattern =
  | { readonly kind: 'characters'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'choice'; readonly options: readonly Pattern[] }
  | {
      readonly kind: 'repeat'
      readonly item: Pattern
      readonly min: number
      readonly max: number | null
    }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }

export class UnsupportedPattern extends Error {}

const PATTERN_LENGTH_MAX = 4096
const NESTING_MAX = 64
const SYNTAX = '^$\\.*+?()[]{}|/'

const digits = charactersOf([[0x30, 0x39]])
const word = charactersIn('0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ')
const lineEnds = charactersIn('\n\r\u2028\u2029')
const space = charactersOf([
  ...charactersIn('\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff'),
  [0x2000, 0x200a],
])
const classes: ReadonlyMap<string, CharacterSet> = new Map([
  ['d', digits],
  ['D', complement(digits)],
  ['w', word],
  ['W', complement(word)],
  ['s', space],
  ['S', complement(space)],
])
const controls: ReadonlyMap<string, number> = new Map([
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
])

/**
 * @throws UnsupportedPattern when it is no regular expression, or none that is regular. The message
 *   is the end of a sentence.
 */
export function parsePattern(source: string): Pattern {
  if (source.length > PATTERN_LENGTH_MAX) {
    throw new UnsupportedPattern(`has more than ${PATTERN_LENGTH_MAX} characters`)
  }
  const reader = new PatternReader(source)
  const pattern = reader.choice(0)
  reader.finish()
  try {
    // What it lets through is left to the engine's own judgement: `{` as a text, twice a name …
    new RegExp(source, 'u')
  } catch {
    throw new UnsupportedPattern('is no regular expression of ECMAScript in Unicode mode')
  }
  return pattern
}

class PatternReader {
  readonly #characters: readonly string[]
  #position = 0

  constructor(source: string) {
    this.#characters = Array.from(source)
  }

  finish(): void {
    if (this.#peek() !== undefined) throw new UnsupportedPattern('has a parenthesis too many')
  }

  choice(depth: number): Pattern {
    if (depth > NESTING_MAX) throw new UnsupportedPattern('is nested too deeply')
    const options = [this.#sequence(depth)]
    while (this.#take('|')) options.push(this.#sequence(depth))
    return options.length === 1 && options[0] !== undefined
      ? options[0]
      : { kind: 'choice', options }
  }

  #sequence(depth: number): Pattern {
    const parts: Pattern[] = []
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; ) {
      parts.push(this.#quantified(this.#atom(depth)))
      next = this.#peek()
    }
    return { kind: 'sequence', parts }
  }

  #atom(depth: number): Pattern {
    const character = this.#next()
    switch (character) {
      case '^':
        return { kind: 'start' }
      case '$':
        return { kind: 'end' }
      case '.':
        return { kind: 'characters', set: complement(lineEnds) }
      case '(':
        return this.#group(depth)
      case '[':
        return { kind: 'characters', set: this.#class() }
      case '\\':
        return { kind: 'characters', set: this.#escape(SYNTAX) }
      default:
        return { kind: 'characters', set: charactersIn(character) }
    }
  }

  #group(depth: number): Pattern {
    if (this.#take('?')) {
      const named = this.#peek() === '<' && !['=', '!'].includes(this.#peek(1) ?? '')
      if (named) while (this.#next() !== '>');
      else if (!this.#take(':')) throw new UnsupportedPattern('uses look-around or modifiers')
    }
    const inner = this.choice(depth + 1)
    if (!this.#take(')')) throw new UnsupportedPattern('lacks a parenthesis')
    return inner
  }

  #quantified(item: Pattern): Pattern {
    const bounds = this.#bounds()
    if (bounds === undefined) return item
    this.#take('?')
    if (item.kind === 'start' || item.kind === 'end') {
      throw new UnsupportedPattern('repeats an anchor')
    }
    return { kind: 'repeat', item, ...bounds }
  }

  #bounds(): { min: number; max: number | null } | undefined {
    if (this.#take('*')) return { min: 0, max: null }
    if (this.#take('+')) return { min: 1, max: null }
    if (this.#take('?')) return { min: 0, max: 1 }
    if (!this.#take('{')) return undefined
    let inside = ''
    for (let next = this.#next(); next !== '}'; next = this.#next()) inside += next
    const [, min, comma, max] = /^(\d{1,9})(,?)(\d{0,9})$/.exec(inside) ?? []
    if (min === undefined) throw new UnsupportedPattern('has a repetition that cannot be read')
    if (comma === '') return { min: Number(min), max: Number(min) }
    return { min: Number(min), max: max === '' ? null : Number(max) }
  }

  #class(): CharacterSet {
    const negated = this.#take('^')
    const ranges: (readonly [number, number])[] = []
    while (!this.#take(']')) {
      const from = this.#classMember()
      if (this.#peek() === '-' && this.#peek(1) !== ']' && this.#peek(1) !== undefined) {
        this.#next()
        ranges.push([onlyOne(from), onlyOne(this.#classMember())])
      } else {
        ranges.push(...from)
      }
    }
    const set = charactersOf(ranges)
    return negated ? complement(set) : set
  }

  #classMember(): CharacterSet {
    const character = this.#next()
    if (character !== '\\') return charactersIn(character)
    return this.#take('b') ? charactersIn('\b') : this.#escape(`${SYNTAX}-`)
  }

  /** What follows a backslash. */
  #escape(literals: string): CharacterSet {
    const character = this.#next()
    const set = classes.get(character)
    if (set !== undefined) return set
    const control = controls.get(character)
    if (control !== undefined) return charactersOf([[control, control]])
    if (literals.includes(character)) return charactersIn(character)
    if (character === 'x') return this.#code(/^[0-9a-f]{2}/i)
    if (character === 'u') return this.#code(/^[0-9a-f]{4}|^\{[0-9a-f]{1,8}\}/i)
    if (character === '0' && !/\d/.test(this.#peek() ?? '')) return charactersOf([[0, 0]])
    throw new UnsupportedPattern(`uses \\${character}`)
  }

  #code(form: RegExp): CharacterSet {
    const ahead = this.#characters.slice(this.#position, this.#position + 10).join('')
    const [digits] = form.exec(ahead) ?? []
    if (digits === undefined) throw new UnsupportedPattern('has a code that cannot be read')
    this.#position += digits.length
    const code = Number.parseInt(digits.replace(/[{}]/g, ''), 16)
    if (code >= 0xd800 && code <= 0xdfff) {
      throw new UnsupportedPattern('names half a character; write it as \\u{…}')
    }
    return charactersOf([[code, code]])
  }

  #peek(ahead = 0): string | undefined {
    return this.#characters[this.#position + ahead]
  }

  #next(): string {
    const character = this.#characters[this.#position]
    if (character === undefined) throw new UnsupportedPattern('ends too early')
    this.#position += 1
    return character
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false
    this.#position += 1
    return true
  }
}

function onlyOne(set: CharacterSet): number {
  const [range] = set
  if (set.length !== 1 || range === undefined || range[0] !== range[1]) {
    throw new UnsupportedPattern('has a range that does not go from a character to a character')
  }
  return range[0]
}
