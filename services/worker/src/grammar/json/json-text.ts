/** How JSON writes texts: grammars of its strings and of its other simple values. */
import {
  type CharacterSet,
  charactersIn,
  charactersOf,
  complement,
  EVERY_CHARACTER,
  hasCharacter,
  intersection,
  sameCharacters,
} from '../gbnf/characters.ts'
import {
  characters,
  choice,
  type Expression,
  NEVER,
  named,
  optional,
  Rule,
  reference,
  sequence,
  text,
} from '../gbnf/expression.ts'
import { repeated } from '../gbnf/repetition.ts'
import { type Automaton, type Edge, waysTo } from '../pattern/automaton.ts'

/** States that only one way leads to stand within that way, down to this depth. */
const INLINE_DEPTH_MAX = 8
const SHORT_ESCAPES: readonly (readonly [character: string, letter: string])[] = [
  ...([...'"\\'].map((character) => [character, character]) as [string, string][]),
  ['\b', 'b'],
  ['\f', 'f'],
  ['\n', 'n'],
  ['\r', 'r'],
  ['\t', 't'],
]

const controlCodes = charactersOf([[0, 0x1f]])
/** What stands in a JSON string as it is. */
const unescaped = complement(charactersOf([...controlCodes, ...charactersIn('"\\')]))
const hexDigits = charactersIn('0123456789abcdefABCDEF')
const hexDigit = characters(hexDigits)

const range = (from: string, to: string): Expression =>
  characters(charactersOf([[from.charCodeAt(0), to.charCodeAt(0)]]))
export const digit = range('0', '9')
const oneOf = (letters: string): Expression => characters(charactersIn(letters))

/**
 * What may follow a comma or a colon: nothing or one space, so that no answer is filled up with
 * spaces.
 */
export const space = named('space', optional(text(' ')), 'space')

/** One character, escaped or not. Halves of characters come only in pairs. */
const anyCharacter = named(
  'character',
  choice(
    characters(unescaped),
    sequence(
      text('\\'),
      choice(
        oneOf('"\\/bfnrt'),
        sequence(text('u'), oneOf('0123456789abcefABCEF'), repeated(hexDigit, 3, 3)),
        sequence(text('u'), oneOf('dD'), range('0', '7'), repeated(hexDigit, 2, 2)),
        sequence(
          ...[text('u'), oneOf('dD'), oneOf('89abAB'), repeated(hexDigit, 2, 2)],
          ...[text('\\u'), oneOf('dD'), oneOf('cdefCDEF'), repeated(hexDigit, 2, 2)],
        ),
      ),
    ),
  ),
  'character',
)

/** The characters of a string, without the quotes. */
const anyCharacters = repeated(anyCharacter, 0, null)
const afterQuote = sequence(anyCharacters, text('"'))
const anyString = named('string', sequence(text('"'), afterQuote), 'string')

const wholeDigits = choice(text('0'), sequence(range('1', '9'), repeated(digit, 0, 14)))
const fraction = sequence(text('.'), repeated(digit, 1, 15))
/** Two digits of an exponent keep the number finite. */
const exponent = sequence(oneOf('eE'), optional(oneOf('+-')), repeated(digit, 1, 2))
export const anyNumber = named(
  'number',
  sequence(optional(text('-')), wholeDigits, optional(fraction), optional(exponent)),
  'number',
)
export const anyInteger = named('integer', sequence(optional(text('-')), wholeDigits), 'integer')
export const anyBoolean = choice(text('true'), text('false'))
export const nullValue = text('null')

const comma = sequence(text(','), space)

function anyValueRule(): { readonly value: Expression; readonly object: Expression } {
  const value = new Rule('value', NEVER, 'value')
  const member = named('member', sequence(anyString, text(':'), space, reference(value)), 'member')
  const nextMember = named('next-member', sequence(comma, member), 'next-member')
  const nextValue = named('next-value', sequence(comma, reference(value)), 'next-value')
  const members = sequence(member, repeated(nextMember, 0, null))
  const values = sequence(reference(value), repeated(nextValue, 0, null))
  const object = named('object', sequence(text('{'), optional(members), text('}')), 'object')
  const array = named('array', sequence(text('['), optional(values), text(']')), 'array')
  value.body = choice(object, array, anyString, anyNumber, anyBoolean, nullValue)
  return { value: reference(value), object }
}

export const { value: anyValue, object: anyObject } = anyValueRule()

/** A value as JSON writes it without white space. */
export function exactly(value: unknown): Expression {
  return text(JSON.stringify(value))
}

/** A string whose number of characters is in the range. */
export function stringOfLength(min: number, max: number | null): Expression {
  if (min === 0 && max === null) return anyString
  return sequence(text('"'), repeated(anyCharacter, min, max), text('"'))
}

/**
 * What follows the opening quote of a string that the automaton accepts, the closing one included.
 * A character is written in one way only where it has to be told from others.
 *
 * @param key names the automaton: equal keys, equal texts
 */
export function restOfString(automaton: Automaton, key: string): Expression {
  if (automaton.isEmpty) return NEVER
  const ways = waysTo(automaton.states)
  const rules = automaton.states.map(
    (_, index) => new Rule('text', NEVER, `text ${index} of ${key}`),
  )
  const known = new Map<string, Expression>()
  /** Most states have the same few sets on their edges. */
  const written = (set: CharacterSet): Expression => {
    const name = set.join(' ')
    const expression = known.get(name) ?? encoded(set)
    known.set(name, expression)
    return expression
  }
  const bodyOf = (index: number, depth: number): Expression => {
    const state = automaton.states[index]
    const edges = (state?.edges ?? []).map(({ set, to }: Edge) => {
      const rule = rules[to]
      const inline = to !== 0 && ways[to] === 1 && depth < INLINE_DEPTH_MAX
      const next = inline || rule === undefined ? bodyOf(to, depth + 1) : reference(rule)
      return sequence(written(set), next)
    })
    return choice(...edges, ...(state?.accepting ? [text('"')] : []))
  }
  for (const [index, rule] of rules.entries()) rule.body = bodyOf(index, 0)
  const [first] = rules
  return first === undefined ? NEVER : reference(first)
}

/** One character of a set as a JSON string holds it: an escape only where there must be one. */
function encoded(set: CharacterSet): Expression {
  if (sameCharacters(set, EVERY_CHARACTER)) return anyCharacter
  const short = SHORT_ESCAPES.filter(([character]) => hasCharacter(set, character.charCodeAt(0)))
  const shortCodes = charactersIn(short.map(([character]) => character).join(''))
  const long = intersection(intersection(set, controlCodes), complement(shortCodes))
  const written = choice(
    oneOf(short.map(([, letter]) => letter).join('')),
    longEscapes(long, '0'),
    longEscapes(long, '1'),
  )
  const escapes = written === NEVER ? NEVER : sequence(text('\\'), written)
  const all = choice(characters(intersection(set, unescaped)), escapes)
  return written === NEVER ? all : named('character', all, `character ${JSON.stringify(set)}`)
}

/** `u00` and two digits, of which this is the first, for the characters that begin so. */
function longEscapes(set: CharacterSet, first: '0' | '1'): Expression {
  const last = [...'0123456789abcdef'].filter((each) =>
    hasCharacter(set, Number.parseInt(first + each, 16)),
  )
  return last.length === 0 ? NEVER : sequence(text(`u00${first}`), oneOf(last.join('')))
}
