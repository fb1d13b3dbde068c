import { describe, expect, test } from 'vitest'
import { KnownPrefixes } from './cache-known-prefixes.ts'

const prompt = (length: number, last = 0) => [
  ...Array.from({ length: length - 1 }, (_, index) => index),
  last,
]

describe('what can be cached', () => {
  test('is nothing of a prompt that nobody has sent', () => {
    const known = new KnownPrefixes()
    const attempt = known.send('a', prompt(300))
    expect(known.cacheableTokens(attempt, 'a', prompt(300))).toBe(0)
  })

  test('is what the same tenant has sent, token by token, without the last one', () => {
    const known = new KnownPrefixes()
    known.send('a', prompt(257))
    const again = known.send('a', prompt(257))
    expect(known.cacheableTokens(again, 'a', prompt(257))).toBe(256)
    const exact = known.send('a', prompt(256))
    expect(known.cacheableTokens(exact, 'a', prompt(256))).toBe(255)
    const longer = known.send('a', prompt(600, 7))
    expect(known.cacheableTokens(longer, 'a', prompt(600, 7))).toBe(256)
  })

  test('is an answer too, behind the whole prompt that it was given to', () => {
    const known = new KnownPrefixes()
    const first = known.send('a', prompt(300, 7))
    known.answered(first, 'a', 20)
    const next = known.send('a', [...prompt(300, 7), ...prompt(100)])
    expect(known.cacheableTokens(next, 'a', [...prompt(300, 7), ...prompt(100)])).toBe(319)
    const again = known.send('b', prompt(300, 7))
    expect(known.cacheableTokens(again, 'b', prompt(300, 7))).toBe(0)
    const other = known.send('a', [...prompt(300, 8), ...prompt(100)])
    expect(known.cacheableTokens(other, 'a', [...prompt(300, 8), ...prompt(100)])).toBe(299)
  })

  test('is nothing that only another tenant has sent', () => {
    const known = new KnownPrefixes()
    known.send('a', prompt(300))
    const attempt = known.send('b', prompt(300))
    expect(known.cacheableTokens(attempt, 'b', prompt(300))).toBe(0)
  })

  test('of two attempts at once is nothing for the one that sent first', () => {
    const known = new KnownPrefixes()
    const first = known.send('a', prompt(300))
    const second = known.send('a', prompt(300))
    expect(known.cacheableTokens(first, 'a', prompt(300))).toBe(0)
    expect(known.cacheableTokens(second, 'a', prompt(300))).toBe(299)
  })
})
