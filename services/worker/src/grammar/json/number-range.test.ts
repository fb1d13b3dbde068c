import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GbnfAcceptance } from '../../../testing/grammar/gbnf-acceptance.ts'
import { GbnfSampler } from '../../../testing/grammar/gbnf-sampler.ts'
import { randomOf } from '../../../testing/grammar/schema-validator.ts'
import { GrammarRules } from '../gbnf/gbnf.ts'
import { addSchema } from '../schema/json-schema.ts'

function grammarOf(schema: Record<string, unknown>): string {
  const rules = new GrammarRules()
  return rules.text(addSchema(rules, schema, { unsupported: 'refuse' }))
}

const bound = fc.oneof(
  fc.integer({ min: -100_000, max: 100_000 }),
  fc.double({ min: -1e9, max: 1e9, noNaN: true }).filter((value) => Math.abs(value) > 1e-9),
  fc.constantFrom(0, 0.1, -0.1, 1e-9, 9, 10, 99, 100, 999, 1000, 0.3, 123.456),
)
const ends = fc.tuple(bound, bound).map((pair) => pair.sort((a, b) => a - b))

describe('a range of numbers', () => {
  it('lets no number through that is outside', () => {
    fc.assert(
      fc.property(ends, fc.integer(), fc.boolean(), ([min = 0, max = 0], seed, integer) => {
        const low = integer ? Math.floor(min) : min
        const schema = { type: integer ? 'integer' : 'number', minimum: low, maximum: max }
        const sampler = new GbnfSampler(grammarOf({ ...schema, maximum: Math.max(low, max) }))
        const random = randomOf(seed)
        for (let draw = 0; draw < 20; draw += 1) {
          const value: unknown = JSON.parse(sampler.draw(random, 40))
          expect(value).toBeGreaterThanOrEqual(low)
          expect(value).toBeLessThanOrEqual(Math.max(low, max))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('lets every integer through that is inside', () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(1000), fc.nat(1000), (value, below, above) => {
        const [minimum, maximum] = [value - below, value + above]
        const grammar = new GbnfAcceptance(grammarOf({ type: 'integer', minimum, maximum }))
        for (const each of [minimum, value, maximum]) expect(grammar.accepts(`${each}`)).toBe(true)
        for (const each of [minimum - 1, maximum + 1]) {
          expect(grammar.accepts(`${each}`)).toBe(false)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('lets every decimal through that is inside', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.nat(9999),
        fc.integer({ min: 0, max: 4 }),
        (cents, more, digits) => {
          const [minimum, maximum] = [cents / 10 ** digits, (cents + more) / 10 ** digits]
          const grammar = new GbnfAcceptance(grammarOf({ type: 'number', minimum, maximum }))
          const inside = (cents + Math.floor(more / 2)) / 10 ** digits
          for (const each of [minimum, inside, maximum]) {
            const text = each.toFixed(digits)
            expect([text, grammar.accepts(text)]).toEqual([text, true])
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  it.each([
    [{ exclusiveMinimum: 0 }, ['0.1', '1', '999999999999999.5'], ['0', '0.0', '-1', '-0']],
    [{ exclusiveMaximum: 10 }, ['9.999', '-5', '9'], ['10', '10.0', '10.5']],
    [{ exclusiveMaximum: 0.5 }, ['0.4', '0.499999999999999'], ['0.5', '0.50']],
    [{ minimum: 0 }, ['0', '0.5', '12', '123456789012345'], ['-1', '-0.5', '01', '+1', '.5', '1.']],
    [{ minimum: -1, maximum: 1 }, ['-1', '-0.5', '0', '1', '1.0'], ['-1.5', '1.1', '2']],
    [{}, ['1e5', '-1.5E-7', '0'], ['1e400', '00', '1e', 'NaN', '-']],
  ])('of numbers with %j', (bounds, inside, outside) => {
    const grammar = new GbnfAcceptance(grammarOf({ type: 'number', ...bounds }))
    for (const text of inside) expect([text, grammar.accepts(text)]).toEqual([text, true])
    for (const text of outside) expect([text, grammar.accepts(text)]).toEqual([text, false])
  })

  it.each([
    [{ exclusiveMinimum: 0 }, ['1', '10'], ['0', '-1', '1.0', '1e3']],
    [{ minimum: 0.5, maximum: 2.5 }, ['1', '2'], ['0', '3']],
    [{ minimum: -9007199254740991, maximum: 9007199254740991 }, ['-7', '0'], ['1.5']],
    [{ format: 'int32' }, ['2147483647', '-2147483648'], ['2147483648']],
    [{ format: 'int8' }, ['127', '-128'], ['128', '-129']],
    [{ format: 'int16', minimum: -32768, maximum: 32767 }, ['32767', '-32768'], ['32768']],
    [{ format: 'int' }, ['-999999999999999', '999999999999999'], ['1.0']],
    [{ format: 'uint8', minimum: 0, maximum: 255 }, ['0', '255'], ['256', '-1']],
    [{ format: 'uint16' }, ['0', '65535'], ['65536', '-1']],
    [{ format: 'uint32', minimum: 0 }, ['0', '4294967295'], ['4294967296', '-1', '1.5']],
    [{ format: 'uint64', minimum: 1 }, ['1', '999999999999999'], ['0', '-1']],
    [{ format: 'uint128' }, ['0', '999999999999999'], ['-1']],
    [{ format: 'uint' }, ['0', '999999999999999'], ['-1', '0.5']],
    [{ multipleOf: 1 }, ['3'], ['3.5']],
  ])('of integers with %j', (bounds, inside, outside) => {
    const grammar = new GbnfAcceptance(grammarOf({ type: 'integer', ...bounds }))
    for (const text of inside) expect([text, grammar.accepts(text)]).toEqual([text, true])
    for (const text of outside) expect([text, grammar.accepts(text)]).toEqual([text, false])
  })
})
