import type { GenerateEvent } from '@svc/contracts/worker-protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventLines } from './event-lines.ts'

const token = (text: string, outputTokens = 1): GenerateEvent => ({
  type: 'token',
  text,
  kind: 'text',
  outputTokens,
})
const done: GenerateEvent = { type: 'done', finishReason: 'stop', stopText: null }

test('events come out the same, wherever the bytes are cut', () => {
  const text = fc.string({ unit: 'grapheme' })
  fc.assert(
    fc.property(fc.array(text), fc.array(fc.nat(200)), (texts, cuts) => {
      const events = [...texts.map((each, index) => token(each, index)), done]
      const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
      const places = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length].sort(
        (a, b) => a - b,
      )
      const lines = new EventLines()
      const read = places
        .slice(1)
        .flatMap((end, index) => lines.push(bytes.subarray(places[index], end)))
      expect(read).toEqual(events)
    }),
  )
})

describe('what is no event is a violation', () => {
  test.each([
    ['no JSON', '<html>'],
    ['an empty line', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['an unknown type', '{"type":"x"}'],
    ['a token without a count', '{"type":"token","text":"a","kind":"text"}'],
    ['a count below zero', '{"type":"token","text":"a","kind":"text","outputTokens":-1}'],
    ['half a count', '{"type":"token","text":"a","kind":"text","outputTokens":0.5}'],
    ['a huge count', '{"type":"token","text":"a","kind":"text","outputTokens":1e15}'],
    ['an unknown kind', '{"type":"token","text":"a","kind":"x","outputTokens":1}'],
    ['text that is none', '{"type":"token","text":1,"kind":"text","outputTokens":1}'],
    ['a meter without counts', '{"type":"meter","meter":{}}'],
  ])('%s', (_name, line) => {
    expect(() => new EventLines().push(Buffer.from(`${line}\n`))).toThrow(/a line is no/)
  })

  test('a line that never ends is given up on', () => {
    const lines = new EventLines()
    const chunk = Buffer.alloc(64 * 1024, 'a')
    const pushAll = () => {
      for (let count = 0; count < 10; count += 1) lines.push(chunk)
    }
    expect(pushAll).toThrow('a line is too long')
  })
})
