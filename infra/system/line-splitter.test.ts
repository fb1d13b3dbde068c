import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LineSplitter } from './line-splitter.ts'

const BYTES_MAX = 12
const bytes = (text: string) => Buffer.from(text)

test('lines come out the same, wherever the bytes are cut', () => {
  const line = fc
    .string({ unit: 'grapheme' })
    .filter((text) => !text.includes('\n') && text.isWellFormed())
  fc.assert(
    fc.property(fc.array(line), line, fc.array(fc.nat(200)), (whole, last, cuts) => {
      const all = bytes(whole.map((each) => `${each}\n`).join('') + last)
      const places = [0, ...cuts.filter((cut) => cut < all.length), all.length].sort(
        (a, b) => a - b,
      )
      const splitter = new LineSplitter(10_000)
      const read = places
        .slice(1)
        .flatMap((end, index) => splitter.push(all.subarray(places[index], end)))
      expect([...read, splitter.end()]).toEqual([...whole, last])
    }),
  )
})

describe('a line beyond the bound is refused', () => {
  test.each([
    ['whole, in one chunk with others', [`a\n${'x'.repeat(BYTES_MAX + 1)}\nb\n`]],
    ['not finished', ['x'.repeat(BYTES_MAX + 1)]],
    ['that grows beyond it', ['x'.repeat(BYTES_MAX), 'x']],
    ['that ends beyond it', ['x'.repeat(BYTES_MAX), 'x\n']],
    ['of few characters and many bytes', [`${'é'.repeat(BYTES_MAX / 2 + 1)}\n`]],
  ])('%s', (_name, chunks) => {
    const splitter = new LineSplitter(BYTES_MAX)
    expect(() => {
      for (const chunk of chunks) splitter.push(bytes(chunk))
    }).toThrow('a line is too long')
  })

  test('one of just that length is not', () => {
    const line = 'x'.repeat(BYTES_MAX)
    const splitter = new LineSplitter(BYTES_MAX)
    expect(splitter.push(bytes(`${line}\n${line}`))).toEqual([line])
    expect(splitter.push(bytes('\n'))).toEqual([line])
  })
})

describe('bytes that are no UTF-8 are refused', () => {
  const broken = Buffer.of(0x61, 0xc3, 0x28)

  test('in a line between others', () => {
    const splitter = new LineSplitter(BYTES_MAX)
    const chunk = Buffer.concat([bytes('a\n'), broken, bytes('\nb\n')])
    expect(() => splitter.push(chunk)).toThrow('a line is no UTF-8')
  })

  test('in what comes after the last newline, when that is all of it', () => {
    const splitter = new LineSplitter(BYTES_MAX)
    expect(splitter.push(broken)).toEqual([])
    expect(() => splitter.end()).toThrow('a line is no UTF-8')
  })
})
