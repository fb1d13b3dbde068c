/** The gateway on the real ledger, with its events on disk: what was told is what was booked. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accountStream, type SpendPolicy } from '@svc/contracts/events/account'
import { type DomainEvent, decodeEvent } from '@svc/contracts/events/codec'
import { parsePricePerMillion } from '@svc/contracts/money'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { worstCase } from '@svc/contracts/price'
import { openAiErrorAnswer } from '@svc/contracts/wire/errors'
import { MODEL } from '@svc/contracts/wire/models'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import type { Ledger } from '@svc/ledger/ledger'
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { newKey } from '@svc/testing/ledger/open-ledger'
import { openRunningLedger } from '@svc/testing/ledger/running-ledger'
import { afterEach, describe, expect, test, vi } from 'vitest'

const ACTOR = 'test'
const PROMPT_TOKENS = 3
const OUTPUT_TOKENS = 4
const rates = {
  input: parsePricePerMillion('1'),
  cachedInput: parsePricePerMillion('0.1'),
  output: parsePricePerMillion('4'),
}
const costOfOne = worstCase(rates, PROMPT_TOKENS, OUTPUT_TOKENS)

let folder: string
let store: EventStore
let ledger: Ledger
let accountId: string
let fixture: GatewayFixture

async function start(requestsWorth: bigint, spendPolicy: SpendPolicy = 'standard'): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'svc-gateway-'))
  store = openSqliteEventStore(join(folder, 'ledger.db'), {
    onFatal: (error) => {
      throw error
    },
  })
  ledger = (await openRunningLedger(store)).ledger
  await ledger.pricing.publish({ model: MODEL, rates })
  ;({ accountId } = await ledger.administration.openAccount({
    name: 'test',
    spendPolicy,
    actor: ACTOR,
  }))
  await ledger.administration.grant(accountId, {
    amount: costOfOne * requestsWorth,
    category: 'paid',
    priority: 0,
    expiresAt: null,
    reference: null,
    reason: 'test',
    actor: ACTOR,
  })
  const { secret } = await newKey(ledger, accountId, {
    name: 'test',
    actor: ACTOR,
  })
  fixture = await startGateway({
    real: { ledger, secret },
    script: { tokens: OUTPUT_TOKENS, delayMs: 2 },
  })
}

afterEach(async () => {
  await fixture[Symbol.asyncDispose]()
  await ledger.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function events(): Promise<DomainEvent[]> {
  const stream = accountStream(accountId)
  const recorded = await store.readStream({ stream, from: 0, limit: 10_000, direction: 'forwards' })
  return recorded.map(decodeEvent)
}

const request = (fields: object = {}) => chatBody({ max_tokens: OUTPUT_TOKENS, ...fields })

test('one request is three events, and its usage is their tokens', async () => {
  await start(10n)
  const answer = await fixture.post(request())
  expect(await answer.json()).toMatchObject({
    usage: { prompt_tokens: PROMPT_TOKENS, completion_tokens: OUTPUT_TOKENS },
  })
  const requestId = answer.headers.get('x-request-id')
  const ofRequest = (await events()).filter(
    ({ data }) => 'requestId' in data && data.requestId === requestId,
  )
  expect(ofRequest.map(({ type }) => type)).toEqual([
    'RequestAccepted',
    'TokensMetered',
    'CreditDebited',
  ])
  expect(await (await fixture.get('/v1/balance')).json()).toMatchObject({ held: '0.00' })
  expect((await ledger.balance(accountId)).settled).toBe(costOfOne * 9n)
})

test('pitfall 23: a request writes to the stream of its account, and nowhere else', async () => {
  await start(10n)
  const append = vi.spyOn(store, 'append')
  expect((await fixture.post(request())).status).toBe(200)
  const streams = append.mock.calls.map(([{ stream }]) => stream)
  expect(streams).toEqual([accountStream(accountId), accountStream(accountId)])
})

describe('200 concurrent requests on a balance worth three', () => {
  async function burst(stream: boolean) {
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => fixture.post(request({ stream }))),
    )
    await Promise.all(answers.map((answer) => answer.text()))
    const count = (status: number) => answers.filter((each) => each.status === status).length
    return { served: count(200), refused: count(402) }
  }

  test.each([true, false])('strict: three are served, stream %s', async (stream) => {
    await start(3n, 'strict')
    expect(await burst(stream)).toEqual({ served: 3, refused: 197 })
    expect(await ledger.balance(accountId)).toMatchObject({ settled: 0n, held: 0n, available: 0n })
  })

  test.each([true, false])('standard: at most one more, stream %s', async (stream) => {
    await start(3n)
    const { served, refused } = await burst(stream)
    expect(served + refused).toBe(200)
    const { settled, held } = await ledger.balance(accountId)
    expect(settled).toBe(costOfOne * BigInt(3 - served))
    expect(settled).toBeGreaterThanOrEqual(-costOfOne)
    expect(held).toBe(0n)
  })
})

test.each(['standard', 'strict'] as const)(
  '30 at once on credit for 70 answers: %s serves all of them',
  async (policy) => {
    await start(70n, policy)
    const ask = () => fixture.post(chatBody({ max_tokens: 4_000 }))
    const answers = await Promise.all(Array.from({ length: 30 }, ask))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    await Promise.all(answers.map((answer) => answer.text()))
    expect(await ledger.balance(accountId)).toMatchObject({ settled: costOfOne * 40n, held: 0n })
  },
)

test('a prompt of 3 that is metered as 3 computed and 2 cached is billed as 1 and 2', async () => {
  await start(10n)
  const { script } = fixture.worker
  const fault = { kind: 'wrong-meter', input: 2, output: 0 } as const
  fixture.worker.script = { ...script, cachedTokens: 2, fault }
  const answer = await (await fixture.post(request())).json()
  expect(answer).toMatchObject({
    usage: { prompt_tokens: PROMPT_TOKENS, prompt_cache_hit_tokens: 2 },
  })
  const metered = (await events()).find(({ type }) => type === 'TokensMetered')
  expect(metered?.data).toMatchObject({ inputTokens: 1, cachedInputTokens: 2 })
  const spent = rates.input + 2n * rates.cachedInput + 4n * rates.output
  expect((await ledger.balance(accountId)).settled).toBe(10n * costOfOne - spent)
})

test('an empty balance is 402 with both amounts, and nothing is booked: UX-15', async () => {
  await start(1n, 'strict')
  expect((await fixture.post(request())).status).toBe(200)
  const before = (await events()).length
  const answer = await fixture.post(request())
  expect(answer.status).toBe(402)
  expect(answer.headers.get('x-should-retry')).toBe('false')
  const { error } = openAiErrorAnswer.parse(await answer.json())
  expect(error.code).toBe('insufficient_quota')
  expect(error.message).toMatch(/needs at least \$0\.\d+, available is \$0\.00/)
  expect(error.funds).toMatchObject({ available: '0.00', held: '0.00' })
  expect((await events()).length).toBe(before)
})

test('a hundred with one Idempotency-Key are one debit', async () => {
  await start(10n)
  const key = { 'idempotency-key': 'once' }
  const answers = await Promise.all(Array.from({ length: 100 }, () => fixture.post(request(), key)))
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  expect(new Set(texts).size).toBe(1)
  expect((await ledger.balance(accountId)).settled).toBe(costOfOne * 9n)
})

test('a request that failed without a charge may run again under its key, once: UX-11', async () => {
  await start(10n)
  const { script } = fixture.worker
  fixture.worker.script = { ...script, fault: { kind: 'die', afterTokens: 0 } }
  const key = { 'idempotency-key': 'once' }
  expect((await fixture.post(request(), key)).status).toBe(503)
  expect(await ledger.balance(accountId)).toMatchObject({ settled: costOfOne * 10n, held: 0n })
  fixture.worker.script = script
  // A worker that broke off is looked at again before it is used.
  expect(await fixture.pool.whenReady(5_000)).toBe(true)
  const retries = await Promise.all([1, 2, 3].map(() => fixture.post(request(), key)))
  expect(retries.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await ledger.balance(accountId)).toMatchObject({ settled: costOfOne * 9n, held: 0n })
})

test('a revoked key is refused at once; what runs is finished', async () => {
  await start(10n)
  const running = fixture.post(request({ stream: true }))
  await expect.poll(() => fixture.worker.runs.length).toBe(1)
  const [key] = (await ledger.account(accountId)).keys
  await ledger.administration.revokeKey(accountId, {
    keyId: key?.keyId ?? '',
    reason: 'test',
    actor: ACTOR,
  })
  expect((await fixture.post(request())).status).toBe(401)
  expect(await (await running).text()).toContain('[DONE]')
})

test('a key that is revoked between its check and the acceptance gets the one 401', async () => {
  await start(10n)
  const reference = await fixture.get('/v1/balance', { authorization: 'Bearer x' })
  fixture.worker.script = { ...fixture.worker.script, prepareMs: 100 }
  const answer = fixture.post(request())
  await expect.poll(() => fixture.worker.prepared.length).toBe(1)
  const [key] = (await ledger.account(accountId)).keys
  await ledger.administration.revokeKey(accountId, {
    keyId: key?.keyId ?? '',
    reason: 'test',
    actor: ACTOR,
  })
  expect((await answer).status).toBe(401)
  expect(await (await answer).text()).toBe(await reference.text())
  expect((await answer).headers.get('www-authenticate')).toBe('Bearer')
})
