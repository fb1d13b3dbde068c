import { expect, test } from 'vitest'
import { csvLine, csvText } from './csv.ts'

test('what a terminal would obey is not in a cell, whoever shows the file', () => {
  const cells = ['\u001b]0;owned\u0007', '\u009b31m', 'a\u202eb', 'two\nlines', '\u007f']
  expect(csvLine(cells.map(csvText))).toBe('?]0;owned?,?31m,a?b,two?lines,?\r\n')
})

test('what a spreadsheet would compute is text', () => {
  expect(['=1+1', '+1', '-1', '@a', '\t=1'].map(csvText)).toEqual([
    "'=1+1",
    "'+1",
    "'-1",
    "'@a",
    '?=1',
  ])
})

test('what a spreadsheet of another language would compute is text', () => {
  expect(['＝1', '＋1', '－1', '＠a'].map(csvText)).toEqual(["'＝1", "'＋1", "'－1", "'＠a"])
})

test('quotes and commas are quoted', () => {
  expect(csvText('a "b", c')).toBe('"a ""b"", c"')
})
