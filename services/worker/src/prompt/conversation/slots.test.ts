import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Slots } from './slots.ts'

const filled = (slots: Slots, rendered: string) =>
  slots
    .fill(rendered)
    .map(({ text }) => text)
    .join('')

describe('placeholders', () => {
  it('are as unknown as their mark, and give way to the texts', () => {
    const slots = new Slots('k')
    const rendered = `<a>${slots.text('one', null)}</a>${slots.text('two', null)}`
    expect(rendered).not.toMatch(/one|two/)
    expect(slots.fill(rendered)).toEqual([
      { origin: 'template', text: '<a>' },
      { origin: 'content', text: 'one' },
      { origin: 'template', text: '</a>' },
      { origin: 'content', text: 'two' },
    ])
  })

  it('show a template that takes only newlines away', () => {
    const slots = new Slots('k')
    const shown = slots.text('\n\n a \n', null)
    expect(filled(slots, `[${shown.replace(/^\n|\n$/g, '')}]`)).toBe('[ a ]')
  })

  it('of which newlines are taken away, may have millions of them within', () => {
    const slots = new Slots('k')
    const text = `a${'\n'.repeat(4_000_000)}b`
    const shown = slots.text(`\n${text}\n`, null)
    expect(filled(slots, shown.replace(/^\n|\n$/g, '')) === text).toBe(true)
  })

  it('are equal for equal names, and not for equal texts', () => {
    const slots = new Slots('k')
    expect(slots.name('a')).toBe(slots.name('a'))
    expect(slots.text('a', null)).not.toBe(slots.text('a', null))
  })

  it('leave JSON as it is, whether the template encodes it or not', () => {
    const slots = new Slots('k')
    const json = '{"n": 12345678901234567890, "s": "\\u00e9"}'
    const shown = slots.json(json, null)
    expect(filled(slots, `{"arguments": ${JSON.stringify(shown)}}`)).toBe(`{"arguments": ${json}}`)
    expect(filled(slots, `[ARGS]${shown}`)).toBe(`[ARGS]${json}`)
    expect(filled(slots, JSON.stringify({ text: `see ${shown}` }))).toBe(
      `{"text": ${JSON.stringify(`see ${json}`)}}`.replace(': ', ':'),
    )
  })

  it('encode what the template encodes, whatever it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string()), (data) => {
        const slots = new Slots('k')
        const entries = Object.entries(data).map(([key, value]) => {
          return [slots.name(key), slots.text(value, null)] as const
        })
        const rendered = JSON.stringify(entries)
        expect(filled(slots, rendered)).toBe(JSON.stringify(Object.entries(data)))
      }),
    )
  })
})
