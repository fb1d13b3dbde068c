import { parsedExactly } from '@svc/contracts/exact-number'
import { describe, expect, it } from 'vitest'
import { acceptedSchemas } from '../../../testing/grammar/accepted-schemas.ts'
import { GbnfAcceptance } from '../../../testing/grammar/gbnf-acceptance.ts'
import { GbnfSampler } from '../../../testing/grammar/gbnf-sampler.ts'
import { randomOf, schemaValidator } from '../../../testing/grammar/schema-validator.ts'
import { GrammarRules } from '../gbnf/gbnf.ts'
import { addAnyObject, addAnyValue, addSchema } from './json-schema.ts'
import type { JsonSchema } from './schema-document.ts'

function grammarOf(schema: JsonSchema): string {
  const rules = new GrammarRules()
  return rules.text(addSchema(rules, schema, { unsupported: 'refuse' }))
}

describe('the grammar of a schema', () => {
  it.each(acceptedSchemas)('takes what is valid, and nothing else: $name', (example) => {
    const grammar = new GbnfAcceptance(grammarOf(example.schema))
    for (const text of example.valid) expect([text, grammar.accepts(text)]).toEqual([text, true])
    for (const text of example.invalid ?? []) {
      expect([text, grammar.accepts(text)]).toEqual([text, false])
    }
  })

  it.each(acceptedSchemas)('leads to valid JSON only: $name', ({ schema }) => {
    const valid = schemaValidator(schema)
    const sampler = new GbnfSampler(grammarOf(schema))
    const random = randomOf(11)
    for (let draw = 0; draw < 100; draw += 1) {
      const json = sampler.draw(random, 2 + (draw % 30))
      expect([json, valid(json)]).toEqual([json, null])
    }
  })

  it('counts the items of a list that can hold itself in one way only', () => {
    const list = { type: 'array', items: { $ref: '#' }, maxItems: 300 }
    expect(grammarOf(list)).toContain('{0,299}')
    expect(grammarOf(list)).not.toContain('block')
  })

  it('has white space that ends', () => {
    const grammar = new GbnfAcceptance(grammarOf({ properties: { a: { type: 'integer' } } }))
    for (const text of ['{"a":1}', '{"a": 1}']) expect(grammar.accepts(text)).toBe(true)
    for (const text of ['{"a":  1}', '{\n"a":1}', '{"a":1}\n', '{"a":\t1}', ' {"a":1}']) {
      expect(grammar.accepts(text)).toBe(false)
    }
  })

  it.each([
    ['{"enum":[1234567890123456789,1234567890123456790]}', '1234567890123456789'],
    ['{"const":9007199254740993,"type":"integer","minimum":9}', '9007199254740993'],
    ['{"const":0.12345678901234567891,"type":"number"}', '0.12345678901234567891'],
    ['{"const":{"ids":[9007199254740993]}}', '{"ids":[9007199254740993]}'],
  ])('writes numbers that JavaScript cannot hold as %s has them', (schema, text) => {
    const grammar = new GbnfAcceptance(grammarOf(parsedExactly(schema) as JsonSchema))
    expect(grammar.accepts(text)).toBe(true)
    expect(grammar.accepts(JSON.stringify(JSON.parse(text)))).toBe(false)
  })

  it('knows an equal number by its value, and an integer that is none', () => {
    const both = '{"enum":[12345678901234567890,1.5,1.00000000000000000001],"allOf":[{"enum":['
    const again = '1234567890123456789e1,1.5,1.00000000000000000001,12345678901234567891]}]'
    const numbers = new GbnfAcceptance(grammarOf(parsedExactly(`${both}${again}}`) as JsonSchema))
    for (const text of ['12345678901234567890', '1.5']) expect(numbers.accepts(text)).toBe(true)
    expect(numbers.accepts('12345678901234567891')).toBe(false)
    const integers = new GbnfAcceptance(
      grammarOf(parsedExactly(`${both}${again},"type":"integer"}`) as JsonSchema),
    )
    expect(integers.accepts('12345678901234567890')).toBe(true)
    expect(integers.accepts('1.00000000000000000001')).toBe(false)
  })

  it('shares what several schemas say alike', () => {
    const rules = new GrammarRules()
    const schema = { properties: { a: { type: 'string', format: 'date-time' } } }
    addSchema(rules, schema, { unsupported: 'refuse' })
    const once = rules.count
    const second = addSchema(
      rules,
      { properties: { b: schema.properties.a } },
      { unsupported: 'strip' },
    )
    expect(rules.count - once).toBeLessThan(5)
    expect(new GbnfAcceptance(rules.text(second)).accepts('{"b":"2024-01-01T00:00:00Z"}')).toBe(
      true,
    )
  })

  it('grows with the number of optional properties, and not faster', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`property${index}`, { type: 'integer' }]),
    )
    const grammar = grammarOf({ type: 'object', properties, additionalProperties: false })
    expect(grammar.split('\n').length).toBeLessThan(210)
    const accepts = new GbnfAcceptance(grammar)
    expect(accepts.accepts('{"property3":1,"property199":2}')).toBe(true)
    expect(accepts.accepts('{"property199":2,"property3":1}')).toBe(false)
  })

  it.each([2001, 5000, 1_000_000])('counts to %i characters and no further', (maxLength) => {
    const grammar = new GbnfAcceptance(grammarOf({ type: 'string', maxLength, minLength: 300 }))
    const most = Math.min(maxLength, 5001)
    expect(grammar.accepts(`"${'a'.repeat(most)}"`)).toBe(true)
    expect(grammar.accepts(`"${'a'.repeat(299)}"`)).toBe(false)
    if (most === maxLength) expect(grammar.accepts(`"${'a'.repeat(most + 1)}"`)).toBe(false)
  })
})

describe('any JSON', () => {
  const grammar = (add: (rules: GrammarRules) => string) => {
    const rules = new GrammarRules()
    return new GbnfAcceptance(rules.text(add(rules)))
  }
  const object = '{"a": [1, -2.5e3, "\\u00e9\\ud83d\\ude00\\n\\"😀", {}, []],"b":{"c":null}}'

  it('is an object where only objects may be', () => {
    expect(grammar(addAnyObject).accepts(object)).toBe(true)
    expect(grammar(addAnyObject).accepts('{}')).toBe(true)
    for (const text of ['[]', '1', '"a"', '{"a"}', '{"a":1,}', '{a:1}']) {
      expect(grammar(addAnyObject).accepts(text)).toBe(false)
    }
  })

  it('is any value where all may be', () => {
    for (const text of [object, '[]', 'true', '-0', '""']) {
      expect(grammar(addAnyValue).accepts(text)).toBe(true)
    }
  })

  it('has no half characters, and no control characters as they are', () => {
    const bad = [
      '"\\ud83d"',
      '"\\ude00\\ud83d"',
      '"\\ud83da"',
      '"\n"',
      '"\u0000"',
      '"\\x"',
      '"\\u12"',
    ]
    for (const text of bad)
      expect([text, grammar(addAnyValue).accepts(text)]).toEqual([text, false])
  })
})
