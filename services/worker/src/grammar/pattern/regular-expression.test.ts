import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { patternSearch } from '../../../testing/grammar/pattern-search.ts'
import { Work } from '../gbnf/work.ts'
import { TooManyStates } from './automaton.ts'
import { patternAutomaton } from './pattern-automaton.ts'
import { parsePattern, UnsupportedPattern } from './regular-expression.ts'

const PATTERNS = Number(process.env.SVC_SCHEMA_FUZZ ?? 500)
const MS_EACH = 60

const automatonOf = (pattern: string) =>
  patternAutomaton(parsePattern(pattern), new Work(Number.POSITIVE_INFINITY))

const atom = fc.constantFrom(
  ...[
    'a',
    'b',
    'ä',
    '😀',
    '.',
    '\\d',
    '\\W',
    '\\s',
    '[ab]',
    '[^a]',
    '[a-c😀]',
    '\\.',
    '\\u{1F600}',
  ],
  ...['\\n', '[\\d-]', '[\\]\\\\]', '^', '$', '\\x41', '\\u0042'],
)
const randomPattern: fc.Arbitrary<string> = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'pattern' },
    atom,
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{0,}', '+?'))
      .map(([a, times]) => `(${a})${times}`),
  ),
})).pattern
const subject = fc.string({ unit: fc.constantFrom(...'abcä😀.1 \n-]\\AB'), maxLength: 6 })

describe('a pattern', () => {
  const timeout = 60_000 + PATTERNS * MS_EACH
  it('is found where the engine finds it', { timeout }, () => {
    fc.assert(
      fc.property(randomPattern, fc.array(subject, { minLength: 5 }), (pattern, texts) => {
        const automaton = automatonOf(pattern)
        const engine = patternSearch(pattern)
        for (const text of texts) expect(automaton.accepts(text)).toBe(engine.test(text))
      }),
      { numRuns: PATTERNS },
    )
  })

  it.each([
    ...['(?:a|[^a])$', '[^a]$', '[^"]$', '[^\\d]$', '[\\u{1F600}]$', 'a[^a]$', '[^a]\\.?$|b'],
    ...['[^a](?:$)', '[^a]()$', '\\W$', '.$', '[^a]'],
  ])('takes a character outside the first plane for one: %s', (pattern) => {
    // Stated, because not every engine gets it right.
    expect(automatonOf(pattern).accepts('a😀')).toBe(true)
    expect(automatonOf(`^b(?:${pattern})`).accepts('b😀')).toBe(!pattern.startsWith('a'))
    expect(patternSearch(pattern).test('a😀')).toBe(true)
  })

  it.each(['[^a]{2}$', '^[^a][^b]$', '..', '[^😀]$'])(
    'does not take such a character for two: %s',
    (pattern) => {
      expect(automatonOf(pattern).accepts('😀')).toBe(false)
      expect(patternSearch(pattern).test('😀')).toBe(false)
    },
  )

  it.each(['^a|b$', 'x^y', '^$', '', '(^a|b$)+', '^(a+)+$', '^[^]*$', '(?<n>a)b', 'a{0}b', '[]'])(
    'means the same as for the engine: %s',
    (pattern) => {
      const automaton = automatonOf(pattern)
      for (const text of ['', 'a', 'b', 'ab', 'ba', 'xy', 'aab', 'cbd', '\n']) {
        expect(automaton.accepts(text)).toBe(patternSearch(pattern).test(text))
      }
    },
  )

  it.each([
    ...['(?=a)', '(?!a)', '(?<=a)', '(?<!a)', '(a)\\1', '(?<n>a)\\k<n>', '\\ba', '\\B', '\\p{L}'],
    ...['(?i:a)', '\\uD83D\\uDE00', '\\cA', '^*'],
  ])('is refused where it is not regular or not supported: %s', (pattern) => {
    expect(() => automatonOf(pattern)).toThrow(UnsupportedPattern)
  })

  it.each([
    '(',
    ')',
    '[a',
    'a{',
    '*a',
    '\\',
    'a**',
    '[z-a]',
    '\\-',
    'a{2,1}',
    '(?<n>a)(?<n>b)',
    '}',
  ])('is refused where it is none: %s', (pattern) => {
    expect(() => automatonOf(pattern)).toThrow(UnsupportedPattern)
  })

  it.each([
    ...['a{2000}', '((a{100}){100}){100}', '(?:){999999999}', '(a|b)*a(a|b){20}'],
    `^(?:${Array.from({ length: 900 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('|')}){9}$`,
  ])('is given up where it is too large: %s', (pattern) => {
    expect(() => automatonOf(pattern)).toThrow(TooManyStates)
  })

  it('is refused where it is nested too deeply or too long', () => {
    expect(() => automatonOf('('.repeat(60_000))).toThrow(UnsupportedPattern)
    expect(() => automatonOf(`${'('.repeat(100)}a${')'.repeat(100)}`)).toThrow(/nested/)
  })
})
