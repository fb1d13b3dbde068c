import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { factsText } from './facts.ts'
import { type Column, Table } from './table.ts'

interface Row {
  readonly name: string
  readonly amount: string
  readonly note?: string
}

const columns: readonly Column<Row>[] = [
  { title: 'NAME', cutTo: 6, text: ({ name }) => name },
  { title: 'AMOUNT', align: 'decimal', text: ({ amount }) => amount },
  { title: 'NOTE', leftOut: 1, text: ({ note }) => note ?? '' },
]

function text(rows: readonly Row[], widthMax?: number): string {
  const table = new Table(columns, widthMax)
  return table.header(rows) + table.rows(rows)
}

describe('a table', () => {
  test('puts decimal points under each other, whatever is in front and behind', () => {
    const amounts = ['5.00', '4.9999703', '-1200.000000000001', '7', '']
    const rows = amounts.map((amount, i) => ({ name: `row${i}`, amount }))
    expect(text(rows)).toBe(
      [
        'NAME              AMOUNT  NOTE',
        'row0      5.00',
        'row1      4.9999703',
        'row2  -1200.000000000001',
        'row3      7',
        'row4',
        '',
      ].join('\n'),
    )
  })

  test('lines up what takes two columns, or none, on the screen', () => {
    const names = ['Ada', '株式会社', 'e\u0301te\u0301', '👩‍💻 dev']
    const lines = text(names.map((name) => ({ name, amount: '1.00' })))
      .trimEnd()
      .split('\n')
    const ends = lines.slice(1).map((line) => stringWidth(line))
    expect(new Set(ends).size).toBe(1)
  })

  test('fits a terminal: cuts what may be cut, then leaves columns out, and tells which', () => {
    const rows = [
      { name: 'an account with a long name', amount: '4.9999703', note: 'a long note to read' },
      { name: '株式会社株式会社', amount: '12.00', note: 'x' },
    ]
    for (const widthMax of [60, 40, 36, 20]) {
      const table = new Table(columns, widthMax)
      const shown = table.header(rows) + table.rows(rows)
      for (const line of shown.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(widthMax)
      expect(shown).toContain('4.9999703')
      expect(table.leftOut).toEqual(widthMax < 37 ? ['NOTE'] : [])
    }
    expect(text(rows, 20)).toContain('an acco…')
  })

  test('without a terminal is whole', () => {
    const rows = [{ name: 'n'.repeat(300), amount: '1.00', note: 'm'.repeat(300) }]
    expect(text(rows)).toContain(`${'n'.repeat(300)}    1.00  ${'m'.repeat(300)}`)
  })

  test('keeps its columns over pages', () => {
    const table = new Table(columns, 40)
    table.header([{ name: 'Ada', amount: '123.4567', note: 'n' }])
    const first = table.rows([{ name: 'Ada', amount: '123.4567', note: 'n' }])
    const second = table.rows([{ name: 'Bo', amount: '1.00', note: 'n' }])
    expect(second.indexOf('.')).toBe(first.indexOf('.'))
    expect(second.lastIndexOf('n')).toBe(first.lastIndexOf('n'))
  })
})

test('facts are wrapped between words, and what has no spaces stays whole', () => {
  const facts = [['cache', 'one two three four five six'] as const, ['id', 'x'.repeat(40)] as const]
  expect(factsText(facts, 27)).toBe(
    ['cache  one two three four', '       five six', `id     ${'x'.repeat(40)}`, ''].join('\n'),
  )
  expect(factsText(facts)).toContain('four five six')
})
