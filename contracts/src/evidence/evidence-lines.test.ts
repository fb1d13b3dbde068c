import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LINE_BYTES_MAX } from './evidence-file.ts'
import { EvidenceLines } from './evidence-lines.ts'

function linesIn(chunks: readonly Buffer[]): (string | undefined)[] {
  const lines = new EvidenceLines()
  const found = chunks.flatMap((chunk) => lines.take(chunk))
  return [...found, ...lines.end()].map((line) => line?.toString())
}

test('lines are the same however the file is cut, and an unfinished one is none', () => {
  const pieces = fc.array(fc.constantFrom('a', 'bc', '\n', '\n\n'))
  fc.assert(
    fc.property(pieces, (chunks) => {
      const [last, ...whole] = chunks.join('').split('\n').reverse()
      const expected = [...whole.reverse(), ...(last === '' ? [] : [undefined])]
      expect(linesIn(chunks.map((chunk) => Buffer.from(chunk)))).toEqual(expected)
    }),
  )
})

test('a line beyond the bound is none, also where it comes whole', () => {
  const long = Buffer.alloc(LINE_BYTES_MAX + 2, 'x').fill('\n', LINE_BYTES_MAX + 1)
  expect(new EvidenceLines().take(long)).toEqual([undefined])
  expect(new EvidenceLines().take(long.subarray(1))).toEqual([long.subarray(1, -1)])
})

test('a line beyond the bound is none, and the last', () => {
  const lines = new EvidenceLines()
  const part = Buffer.alloc(LINE_BYTES_MAX / 2, 'x')
  expect(lines.take(Buffer.concat([Buffer.from('a\n'), part]))).toEqual([Buffer.from('a')])
  expect(lines.take(part)).toEqual([])
  expect(lines.isOver).toBe(false)
  expect(lines.take(Buffer.from('x'))).toEqual([undefined])
  expect(lines.isOver).toBe(true)
  expect(lines.end()).toEqual([])
})
