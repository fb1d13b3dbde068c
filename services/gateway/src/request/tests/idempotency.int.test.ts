/** The same Idempotency-Key and body: one run, one debit, one answer, however often it is sent. */

import { hash } from 'node:crypto'
import type { NewRequest } from '@svc/ledger/ledger'
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { plainScript } from '@svc/testing/scripted-worker'
import { wireFormats } from '@svc/testing/wire-formats'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'
import { expectErrorBody } from '../../../testing/oracle.ts'

let fixture: GatewayFixture

beforeEach(async () => {
  fixture = await startGateway({ script: { tokens: 3, delayMs: 1 } })
})
afterEach(() => fixture[Symbol.asyncDispose]())

const key = (value = 'a key') => ({ 'idempotency-key': value })

const ways = wireFormats.flatMap((format) => [
  { format, stream: false },
  { format, stream: true },
])

describe.each(ways)('in $format.name, streamed $stream', ({ format, stream }) => {
  const post = () => postTo(fixture, format.paths[0], bodyOf(format, { stream }), key())

  test('a retry is given the same bytes under the same id, and costs nothing', async () => {
    const first = await post()
    const text = await first.text()
    const retry = await post()
    expect(await retry.text()).toBe(text)
    expect(retry.headers.get('idempotent-replayed')).toBe('true')
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect(retry.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(retry.headers.get('x-request-id')).toBe(first.headers.get('x-request-id'))
    expect(fixture.ledger.debits().length).toBe(1)
    expect(fixture.worker.runs.length).toBe(1)
  })

  test('a hundred at once are one request and one debit', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => post()))
    const texts = new Set(await Promise.all(answers.map((answer) => answer.text())))
    expect(texts.size).toBe(1)
    expect(new Set(answers.map((answer) => answer.headers.get('x-request-id'))).size).toBe(1)
    expect(fixture.ledger.debits().length).toBe(1)
  })
})

test.each([false, true])('a retry is told what was left out, streamed %s', async (stream) => {
  const body = { model: 'svc-beta', input: 'hi', tools: [{ type: 'web_search' }], stream }
  const post = () => postTo(fixture, '/v1/responses', body, key())
  const first = await post()
  await first.text()
  expect(first.headers.get('x-svc-dropped-tools')).toBe('web_search')
  const retry = await post()
  expect(retry.headers.get('idempotent-replayed')).toBe('true')
  expect(retry.headers.get('x-svc-dropped-tools')).toBe('web_search')
})

test('the same body of another format, or on another path, is another request', async () => {
  const [chat, , messages] = wireFormats
  if (chat === undefined || messages === undefined) throw new Error('a format is missing')
  const body = bodyOf(messages)
  expect((await postTo(fixture, chat.paths[0], body, key())).status).toBe(200)
  for (const path of [messages.paths[0], '/pro/v1/chat/completions']) {
    const response = await postTo(fixture, path, body, key())
    expect(response.status, path).toBe(422)
    expect(await response.text()).toContain('idempotency_key_reused')
  }
  expect(fixture.ledger.debits().length).toBe(1)
})

test('another body under the key is 422, also while the first one runs', async () => {
  fixture.worker.script = { ...plainScript, tokens: 50, delayMs: 5 }
  const first = fixture.post(chatBody(), key())
  await expect.poll(() => fixture.worker.runs.length).toBe(1)
  for (const moment of ['running', 'ended']) {
    const other = await fixture.post(chatBody({ seed: 1 }), key())
    expect(other.status, moment).toBe(422)
    expectErrorBody(await other.text(), { status: 422, code: 'idempotency_key_reused' })
    expect(other.headers.get('x-should-retry')).toBe('false')
    expect((await first).status).toBe(200)
  }
  expect(fixture.ledger.debits().length).toBe(1)
})

test('one that waits for another and leaves gives up its place at once', async () => {
  await using busy = await startGateway({
    script: { tokens: 10_000, delayMs: 2 },
    limits: { requestsPerKey: 2, waitingPerAccount: 0 },
  })
  const first = await busy.post(chatBody({ stream: true }), key())
  const leave = new AbortController()
  const { signal } = leave
  const streamed = chatBody({ stream: true })
  const second = postTo(busy, '/v1/chat/completions', streamed, key(), signal)
  const status = async () => {
    const answer = await busy.post(chatBody({ stream: true }), key('another'))
    await answer.body?.cancel()
    return answer.status
  }
  await expect.poll(status).toBe(429)
  leave.abort()
  await expect(second).rejects.toThrow()
  await expect.poll(status).not.toBe(429)
  await first.body?.cancel()
})

test('the crash points around the record of an answer are passed, between debit and end', async () => {
  const { reached } = fixture
  reached.length = 0
  await (await fixture.post(chatBody(), key())).text()
  const around = ['settle.after', 'recorded-answer.before', 'recorded-answer.after']
  expect(reached.filter((point) => around.includes(point))).toEqual(around)
  expect(reached.indexOf('recorded-answer.after')).toBeLessThan(
    reached.indexOf('answer.before-end'),
  )
})

describe('what the log keeps of a key', () => {
  const plainHash = hash('sha256', `/v1/chat/completions\n${JSON.stringify(chatBody())}`)
  let logged: NewRequest['idempotency'][]
  /** What stands in the log instead of the hash of the body. */
  let written: string | undefined

  beforeEach(() => {
    ;[logged, written] = [[], undefined]
    const { ledger } = fixture.ledger
    const accept = ledger.accept.bind(ledger)
    ledger.accept = (accountId, request, signal) => {
      const { idempotency } = request
      logged.push(idempotency)
      const bodyHash = written ?? idempotency?.bodyHash ?? ''
      const replaced = { ...request, idempotency: idempotency && { ...idempotency, bodyHash } }
      return accept(accountId, replaced, signal)
    }
  })

  test('lets nobody who lacks the key try what the body was', async () => {
    await fixture.post(chatBody(), key())
    await fixture.post(chatBody(), key('another'))
    const bodyHashes = logged.map((idempotency) => idempotency?.bodyHash)
    expect(new Set(bodyHashes).size).toBe(2)
    expect(bodyHashes).not.toContain(plainHash)
  })

  test('is known again where an earlier version wrote the plain hash of the body', async () => {
    written = plainHash
    const first = await fixture.post(chatBody(), key())
    const retry = await fixture.post(chatBody(), key())
    expect(retry.headers.get('idempotent-replayed')).toBe('true')
    expect(await retry.text()).toBe(await first.text())
    expect((await fixture.post(chatBody({ seed: 1 }), key())).status).toBe(422)
  })
})

test('a key of another account is another key', async () => {
  await fixture.post(chatBody(), key())
  const authorization = `Bearer ${fixture.ledger.otherSecret}`
  const other = await fixture.post(chatBody({ seed: 1 }), { ...key(), authorization })
  expect(other.status).toBe(200)
  expect(other.headers.get('idempotent-replayed')).toBeNull()
})

test('an answer that is gone is 409 with the receipt, never a second run', async () => {
  const first = await fixture.post(chatBody(), key())
  await fixture.loseAnswers()
  const retry = await fixture.post(chatBody(), key())
  const requestId = first.headers.get('x-request-id')
  expect(retry.status).toBe(409)
  const message = expectErrorBody(await retry.text(), {
    status: 409,
    code: 'idempotency_answer_gone',
  })
  expect(message).toContain(`/v1/requests/${requestId}`)
  expect(fixture.worker.runs.length).toBe(1)
})

test('a request that failed without a charge is run again under its key', async () => {
  fixture.worker.script = { ...plainScript, fault: { kind: 'die', afterTokens: 0 } }
  expect((await fixture.post(chatBody(), key())).status).toBe(503)
  fixture.worker.script = plainScript
  expect(await fixture.pool.whenReady(5_000)).toBe(true)
  expect((await fixture.post(chatBody(), key())).status).toBe(200)
  expect(fixture.ledger.debits().length).toBe(1)
})

test('one that broke after output was charged, and is not run again', async () => {
  const fault = { kind: 'die', afterTokens: 2 } as const
  fixture.worker.script = { ...plainScript, tokens: 5, delayMs: 10, fault }
  const body = chatBody({ stream: true })
  const broken = await (await fixture.post(body, key())).text()
  expect(broken).toMatch(/word1.*worker_failed/s)
  fixture.worker.script = plainScript
  expect(await fixture.pool.whenReady(5_000)).toBe(true)
  const retry = await fixture.post(body, key())
  expect(await retry.json()).toMatchObject({ error: { code: 'idempotency_answer_gone' } })
  expect(fixture.ledger.debits().length).toBe(1)
})

test('a request that was refused before it was accepted leaves the key free', async () => {
  expect((await fixture.post(chatBody({ max_tokens: 10 ** 6 }), key())).status).toBe(400)
  expect((await fixture.post(chatBody(), key())).status).toBe(200)
})

test.each(['', 'a'.repeat(256), 'clé'])('"%s" is no key', async (value) => {
  const response = await fixture.post(chatBody(), { 'idempotency-key': value })
  expect(response.status).toBe(400)
  expectErrorBody(await response.text(), {
    status: 400,
    code: 'invalid_value',
    param: 'Idempotency-Key',
  })
  expect(fixture.ledger.entries.size).toBe(0)
})
