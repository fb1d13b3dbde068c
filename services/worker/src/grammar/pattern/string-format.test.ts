import { describe, expect, it } from 'vitest'
import { GbnfAcceptance } from '../../../testing/grammar/gbnf-acceptance.ts'
import { GbnfSampler } from '../../../testing/grammar/gbnf-sampler.ts'
import { randomOf, schemaValidator } from '../../../testing/grammar/schema-validator.ts'
import { GrammarRules } from '../gbnf/gbnf.ts'
import { addSchema } from '../schema/json-schema.ts'
import { stringFormats } from './string-format.ts'

function grammarOf(format: string): string {
  const rules = new GrammarRules()
  const name = addSchema(rules, { type: 'string', format }, { unsupported: 'refuse' })
  return rules.text(name)
}

describe('a format', () => {
  it.each([...stringFormats.keys()])('%s lets only texts of the format through', (format) => {
    const valid = schemaValidator({ type: 'string', format })
    const sampler = new GbnfSampler(grammarOf(format))
    const random = randomOf(7)
    for (let draw = 0; draw < 500; draw += 1) {
      const json = sampler.draw(random, 6 + (draw % 60))
      expect([json, valid(json)]).toEqual([json, null])
    }
  })

  it.each([
    [
      'date',
      ['2024-02-29', '2000-02-29', '1999-12-31'],
      ['2023-02-29', '1900-02-29', '2024-13-01'],
    ],
    ['time', ['23:59:59Z', '00:00:00.123+05:30'], ['24:00:00Z', '12:00:60Z', '12:00:00']],
    ['date-time', ['2024-02-29T12:30:00Z'], ['2024-02-29 12:30:00Z', '2024-02-30T12:30:00Z']],
    ['duration', ['P1D', 'PT5M', 'P1Y2M3DT4H5M6S', 'P4W'], ['P', 'PT', '1D', 'P1W2D']],
    ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123e4567e89b12d3a456426614174000']],
    [
      'email',
      ['a.b+c@example.com', 'x@y-z.co.uk'],
      ['a@b', '@example.com', 'a@-b.com', 'a b@c.de'],
    ],
    ['hostname', ['example.com', 'localhost', 'a-b.c'], ['-a.b', 'a..b', '', 'a'.repeat(64)]],
    ['ipv4', ['0.0.0.0', '192.168.1.255'], ['256.1.1.1', '1.2.3', '01.2.3.4']],
    ['ipv6', ['::', '::1', '2001:db8::8a2e:370:7334', '1:2:3:4:5:6:7:8'], ['1::2::3', '12345::']],
    ['uri', ['https://example.com/a%20b?c=d#e', 'ftp://x'], ['example.com', 'http://', 'a b://c']],
  ])('%s is what it says', (format, inside, outside) => {
    const grammar = new GbnfAcceptance(grammarOf(format))
    for (const text of inside) expect([text, grammar.accepts(`"${text}"`)]).toEqual([text, true])
    for (const text of outside) expect([text, grammar.accepts(`"${text}"`)]).toEqual([text, false])
  })
})
