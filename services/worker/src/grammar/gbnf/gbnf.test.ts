import { describe, expect, it } from 'vitest'
import { GbnfAcceptance } from '../../../testing/grammar/gbnf-acceptance.ts'
import { characterClass, GrammarRules, literal } from './gbnf.ts'

describe('the rules of a grammar', () => {
  it('have names of their own, whatever they were given', () => {
    const rules = new GrammarRules()
    const names = ['a b', 'a_b', 'a::=b', 'root', '', 'größe', 'a-b-1', 'x'.repeat(99)]
    const given = names.map((name, index) => rules.add(name, literal(String(index))))
    expect(new Set(given).size).toBe(names.length)
    expect(given).not.toContain('root')
    for (const name of given) expect(name).toMatch(/^[a-zA-Z0-9-]+$/)
    const grammar = new GbnfAcceptance(rules.text(given.join(' ')))
    expect(grammar.accepts('01234567')).toBe(true)
    expect(grammar.accepts('0123456')).toBe(false)
  })

  it('are added once when they say the same', () => {
    const rules = new GrammarRules()
    expect(rules.add('a', '"x"')).toBe(rules.add('a', '"x"'))
    expect(rules.add('a', '"y"')).not.toBe(rules.add('a', '"x"'))
    expect(rules.count).toBe(2)
    expect(rules.characters).toBe(rules.text('a').length - 'root ::= a\n'.length)
  })
})

describe('a literal', () => {
  it.each(['"', '\\', '" | root "', 'a\nb ::= "', '\\"', ']', '[^', '\u0000', 'ö😀\u2028', "'"])(
    'is only the text %j',
    (text) => {
      const grammar = new GbnfAcceptance(`root ::= ${literal(text)} "!"\n`)
      expect(grammar.accepts(`${text}!`)).toBe(true)
      expect(grammar.accepts('!')).toBe(false)
      expect(literal(text)).toMatch(/^[ -~]*$|[^ -~]/)
      expect(literal(text)).not.toContain('\n')
    },
  )
})

describe('a class of characters', () => {
  it.each([...'^-[]\\"a\n', '😀'])('is only the character %j', (character) => {
    const code = character.codePointAt(0) ?? 0
    const grammar = new GbnfAcceptance(`root ::= ${characterClass([[code, code]])}\n`)
    for (const other of [...'^-[]\\"a\nb', '😀']) {
      expect(grammar.accepts(other)).toBe(other === character)
    }
  })
})
