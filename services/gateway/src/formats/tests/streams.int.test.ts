/**
 * Streams of all three formats. The numbers are those of group H of the corpus of bad input; what
 * is not here: H3 (pieces of a character) is in services/worker/src/prompt/utf8.test.ts, H11 and
 * H13 (drain, backpressure) in pressure.int.test.ts, H12 (bytes mid-stream) in
 * slowness.int.test.ts, and H14 cannot be asked for: no stream has an address, and no stored
 * response is streamed again (responses-store.int.test.ts).
 */

import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { plainScript, type WorkerScript } from '@svc/testing/scripted-worker'
import { gate, StreamReader } from '@svc/testing/stream-reader'
import { wireFormats } from '@svc/testing/wire-formats'
import type { WireFormat } from '@svc/testing/wire-formats/wire-format'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'

/**
 * The marks of how each format opens a stream, keeps it alive, ends it well, and ends it after a
 * failure.
 */
const marks: Readonly<
  Record<WireFormat['name'], { opening: string; alive: string; end: RegExp; failure: RegExp }>
> = {
  chat: {
    opening: '"role":"assistant"',
    alive: ': keep-alive\n\n',
    end: /"finish_reason":"|"prompt_tokens"|\[DONE\]/,
    failure: /\n\ndata: \{"error":\{[^\n]*"code":"worker_failed"[^\n]*\}\}\n\n$/,
  },
  responses: {
    opening: 'event: response.created\n',
    alive: 'event: response.in_progress\n',
    end: /response\.(completed|incomplete)|\[DONE\]/,
    failure:
      /event: error\n[^\n]*"code":"server_error"[^\n]*\n\nevent: response\.failed\n[^\n]*\n\n$/,
  },
  messages: {
    opening: 'event: message_start\n',
    alive: 'event: ping\n',
    end: /message_delta|message_stop/,
    failure: /event: error\n[^\n]*"error_code":"worker_failed"[^\n]*\n\n$/,
  },
}

let fixture: GatewayFixture

async function start(script: Partial<WorkerScript>, streamKeepAliveMs = 15_000): Promise<void> {
  fixture = await startGateway({ script, limits: { streamKeepAliveMs, cancelWaitMs: 200 } })
}
beforeEach(() => start({ tokens: 3 }))
afterEach(() => fixture[Symbol.asyncDispose]())

const play = (script: Partial<WorkerScript>) => {
  fixture.worker.script = { ...plainScript, ...script }
}

describe.each(wireFormats)('$name', (format) => {
  const { opening, alive, end, failure } = marks[format.name]
  const stream = (headers: Record<string, string> = {}, signal?: AbortSignal) =>
    postTo(fixture, format.paths[0], bodyOf(format, format.streamFields), headers, signal)

  test('H1, H2 nothing that the model says ends an event, or the stream', async () => {
    const texts = [
      '\n\ndata: [DONE]\n\n',
      'event: error\n',
      '\r\n',
      '\r',
      '\u2028\u2029',
      '\0',
      '"\\',
    ]
    play({ events: texts.map((text) => ({ text })) })
    const text = await (await stream()).text()
    expect(text).not.toMatch(/[\r\u2028\u2029\0]/)
    for (const line of text.split('\n'))
      expect(line).toMatch(/^(data: [{[].*[}\]]|event: [\w.]+|)$/)
    expect(format.readStream(text).text).toBe(texts.join(''))
  })

  test('H4, complaint 13: an error after the first token is an event, and the last one', async () => {
    play({ tokens: 3, delayMs: 1, fault: { kind: 'die', afterTokens: 2 } })
    const response = await stream()
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).toContain('word1')
    expect(text).toMatch(failure)
    expect(text.replace(failure, '')).not.toMatch(end)
  })

  test('H5 the usage at the end is what was debited', async () => {
    play({ tokens: 3, cachedTokens: 1 })
    const { input, output, cached } = format.readStream(await (await stream()).text())
    const { meter } = fixture.ledger.only().settled?.input ?? {}
    expect(input).toBe((meter?.inputTokens ?? 0) + (meter?.cachedInputTokens ?? 0))
    expect(output).toBe(meter?.outputTokens)
    if (cached !== null) expect(cached).toBe(meter?.cachedInputTokens)
  })

  test('H6 there is no end before the debit is durable', async () => {
    const debit = gate()
    fixture.ledger.beforeSettle = () => debit.passed
    const reader = new StreamReader(await stream())
    await reader.until('word2')
    const rest = reader.rest()
    await expect.poll(() => fixture.reached.at(-1)).toBe('settle.before')
    expect(reader.text).not.toMatch(end)
    debit.open()
    expect(await rest).toMatch(end)
  })

  test('H7 proxies are told to keep and to hold back nothing', async () => {
    const response = await stream()
    await response.text()
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(response.headers.get('cache-control')).toContain('no-store')
  })

  test('H8 HEAD is refused, and starts nothing', async () => {
    const response = await fetch(fixture.baseUrl + format.paths[0], { method: 'HEAD' })
    expect(response.status).toBe(405)
    expect(fixture.ledger.entries.size).toBe(0)
  })

  test('H9 a Last-Event-ID is ignored: every stream is a new one', async () => {
    const first = await (await stream()).text()
    const second = await (await stream({ 'last-event-id': '1' })).text()
    expect(format.readStream(second).text).toBe(format.readStream(first).text)
    expect(second).not.toBe(first)
    expect(fixture.ledger.debits().length).toBe(2)
  })

  test('H10, complaint 11: opens while the prompt is computed, and is kept alive', async () => {
    await fixture[Symbol.asyncDispose]()
    await start({ prefillMs: 60_000 }, 60)
    const leave = new AbortController()
    const reader = new StreamReader(await stream({}, leave.signal))
    await reader.until(opening)
    for (const _time of [1, 2, 3]) {
      const before = reader.text.length
      await reader.until(alive, before)
    }
    expect(fixture.worker.runs[0]?.made).toBe(0)
    leave.abort()
    await expect.poll(() => fixture.ledger.openHolds()).toBe(0n)
  })

  test('complaint 11: opens within a second or so, however seldom it is kept alive', async () => {
    play({ prefillMs: 60_000 })
    const leave = new AbortController()
    const reader = new StreamReader(await stream({}, leave.signal))
    await reader.until(opening)
    expect(fixture.worker.runs[0]?.made).toBe(0)
    leave.abort()
    await expect.poll(() => fixture.ledger.openHolds()).toBe(0n)
  })
})
