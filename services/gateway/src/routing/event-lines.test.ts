import { type GenerateEvent, generateEvent } from '@svc/contracts/worker/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventLines } from './event-lines.ts'

const token = (text: string, outputTokens = 1): GenerateEvent => ({
  type: 'token',
  text,
  kind: 'text',
  outputTokens,
})
const cacheOf = (lastBlockHash: string) => ({
  schedule: 'any-token',
  reusedTokens: 32,
  blocks: 1,
  source: 'l1',
  lastBlockHash,
  evaluatedTokens: 1,
})
const latencies = { queueMs: 0, prefillMs: 0, firstTokenMs: null, totalMs: 0 }
const LATENCY_MS_MAX = 172_800_000
const meterLine = (fields: object) => {
  const counts = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0 }
  const meter = { ...counts, workerId: 'w', cache: cacheOf('a'), latencies, ...fields }
  return JSON.stringify({ type: 'meter', meter })
}
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

test('a meter as it should be is one', () => {
  const slow = { ...latencies, totalMs: LATENCY_MS_MAX, firstTokenMs: 0.125 }
  const [event] = new EventLines().push(Buffer.from(`${meterLine({ latencies: slow })}\n`))
  expect(event).toMatchObject({ type: 'meter', meter: { workerId: 'w', latencies: slow } })
})

test('a line is an event exactly where the schema says so, also the many that are tokens', () => {
  const odd = fc.oneof(
    fc.constantFrom(null, -1, 0, 0.5, 1e9, 1e9 + 1, 1e15, '', 'text', 'reasoning', 'arguments'),
    fc.constantFrom([], {}, [5], [null], [{ token: 'a', bytes: null, logprob: -1, top: [] }]),
    fc.jsonValue(),
  )
  const given = (good: unknown) => fc.oneof({ arbitrary: fc.constant(good), weight: 3 }, odd)
  const line = fc.record(
    {
      type: given('token'),
      text: given('a'),
      kind: given('text'),
      outputTokens: given(1),
      logprobs: odd,
      more: odd,
    },
    { requiredKeys: ['type'] },
  )
  let taken = 0
  fc.assert(
    fc.property(line, (value) => {
      const text = JSON.stringify(value)
      const read = () => new EventLines().push(Buffer.from(`${text}\n`))
      const { success } = generateEvent.safeParse(JSON.parse(text))
      if (!success) return void expect(read).toThrow('a line is no event')
      taken += 1
      expect(generateEvent.safeParse(read()[0]).success).toBe(true)
    }),
    { numRuns: 2_000 },
  )
  expect(taken).toBeGreaterThan(50)
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
    ['half a character', '{"type":"token","text":"\\ud800","kind":"text","outputTokens":1}'],
    ['text that is none', '{"type":"token","text":1,"kind":"text","outputTokens":1}'],
    [
      'log probabilities that are none',
      '{"type":"token","text":"a","kind":"text","outputTokens":1,"logprobs":5}',
    ],
    ['a meter with a name of 10 KB', meterLine({ workerId: 'a'.repeat(10_000) })],
    ['a meter with a hash of 10 KB', meterLine({ cache: cacheOf('a'.repeat(10_000)) })],
    ...[1e308, -1, LATENCY_MS_MAX + 1, null].map((totalMs) => [
      `a meter of ${totalMs} ms`,
      meterLine({ latencies: { ...latencies, totalMs } }),
    ]),
    ['a meter that waited for ever', meterLine({ latencies: { ...latencies, queueMs: 1e300 } })],
    ['a meter without counts', '{"type":"meter","meter":{}}'],
  ])('%s', (_name, line) => {
    expect(() => new EventLines().push(Buffer.from(`${line}\n`))).toThrow(/a line is no/)
  })

  test('a text of broken UTF-8 is not mended', () => {
    const [before, after] = JSON.stringify(token('|')).split('|')
    const line = Buffer.concat([
      Buffer.from(`${before}`),
      Buffer.of(0xff),
      Buffer.from(`${after}\n`),
    ])
    expect(() => new EventLines().push(line)).toThrow('a line is no UTF-8')
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
