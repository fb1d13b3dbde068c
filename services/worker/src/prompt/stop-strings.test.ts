import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StopStrings } from './stop-strings.ts'

function run(stops: readonly string[], pieces: readonly string[]) {
  const matcher = new StopStrings(stops)
  let text = ''
  for (const piece of pieces) {
    const result = matcher.push(piece)
    text += result.text
    if (result.stopText !== null) return { text, stopText: result.stopText }
  }
  return { text: text + matcher.end(), stopText: null }
}

describe('stop texts', () => {
  it('end the answer and are not part of it', () => {
    expect(run(['END'], ['one END two'])).toEqual({ text: 'one ', stopText: 'END' })
  })

  it('are found across pieces', () => {
    expect(run(['END'], ['one E', 'N', 'D two'])).toEqual({ text: 'one ', stopText: 'END' })
  })

  it('do not swallow a beginning that came to nothing', () => {
    expect(run(['END'], ['EN', 'E', 'EN'])).toEqual({ text: 'ENEEN', stopText: null })
  })

  it('are held back no longer than they could still come true', () => {
    const matcher = new StopStrings(['\n\n'])
    expect(matcher.push('a\n').text).toBe('a')
    expect(matcher.push('b').text).toBe('\nb')
  })

  it('that are complete together: the longest counts', () => {
    expect(run(['b', 'ab'], ['xab'])).toEqual({ text: 'x', stopText: 'ab' })
    expect(run(['ab', 'b'], ['xab'])).toEqual({ text: 'x', stopText: 'ab' })
  })

  it('that are complete first count, also where a longer one has begun before', () => {
    expect(run(['b', 'abc'], ['xabc'])).toEqual({ text: 'xa', stopText: 'b' })
    expect(run(['abc', 'b'], ['xabc'])).toEqual({ text: 'xa', stopText: 'b' })
  })

  it('are not part of what is left when the answer has ended', () => {
    const matcher = new StopStrings(['END'])
    expect(matcher.push('one END two').stopText).toBe('END')
    expect(matcher.end()).toBe('')
    matcher.push('EN')
    expect([matcher.end(), matcher.end()]).toEqual(['EN', ''])
  })

  it('of which there are none hold nothing back', () => {
    expect(new StopStrings([]).push('END')).toEqual({ text: 'END', stopText: null })
  })

  it('give the same result however the text was cut', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 })
    const stop = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(
        fc.array(word),
        fc.array(stop, { minLength: 1, maxLength: 3 }),
        (words, stops) => {
          const whole = run(stops, [words.join('')])
          expect(run(stops, words)).toEqual(whole)
          expect(run(stops, [...words.join('')])).toEqual(whole)
          expect(stops.some((each) => whole.text.includes(each))).toBe(false)
        },
      ),
    )
  })
})
