/**
 * A store that writes and is not heard, with the real ledger behind the real server: the client is
 * told its answer, late, and the request is debited once.
 */

import type { AppendOutcome, AppendRequest } from '@svc/contracts/ports/event-store'
import { MODEL } from '@svc/contracts/wire/models'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import type { Ledger } from '@svc/ledger/ledger'
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { newKey } from '@svc/testing/ledger/open-ledger'
import { openRunningLedger } from '@svc/testing/ledger/running-ledger'
import { afterEach, beforeEach, expect, test } from 'vitest'

/** Of the next appends with an end of a request in them: written or not, nobody hears of it. */
class UnheardStore extends MemoryEventStore {
  unheard = 0
  isWriting = true

  override async append(request: AppendRequest): Promise<AppendOutcome> {
    const isEnd = request.events.some(({ type }) => /^(CreditDebited|RequestFailed)$/.test(type))
    if (!isEnd || this.unheard === 0) return super.append(request)
    this.unheard -= 1
    if (this.isWriting) await super.append(request)
    return { kind: 'unknown', cause: new Error('nobody heard') }
  }
}

let store: UnheardStore
let ledger: Ledger
let accountId: string
let fixture: GatewayFixture

beforeEach(async () => {
  store = new UnheardStore()
  ledger = (await openRunningLedger(store, { unknownOutcomeMs: 100 })).ledger
  const actor = 'test'
  await ledger.pricing.publish({ model: MODEL, rates: { input: 2n, cachedInput: 1n, output: 3n } })
  ;({ accountId } = await ledger.administration.openAccount({ name: 'test', actor }))
  const { secret } = await newKey(ledger, accountId, { name: 'test', actor })
  const credit = { category: 'paid', priority: 0, expiresAt: null, reference: null } as const
  await ledger.administration.grant(accountId, {
    ...credit,
    amount: 10_000n,
    reason: 'test',
    actor,
  })
  fixture = await startGateway({ real: { ledger, secret }, script: { tokens: 4 } })
})
afterEach(async () => {
  await fixture[Symbol.asyncDispose]()
  await ledger.close()
})

async function typesOf(requestId: string | null): Promise<string[]> {
  const all = await store.readAll({ after: -1n, limit: 1_000 })
  return all.filter(({ data }) => data.includes(`"${requestId}"`)).map(({ type }) => type)
}

test.each([
  { isWriting: true, stream: false },
  { isWriting: true, stream: true },
  { isWriting: false, stream: false },
])('a debit whose outcome stays unknown for longer than the ledger waits: %o', async (given) => {
  store.isWriting = given.isWriting
  store.unheard = 5
  const answer = await fixture.post(chatBody({ stream: given.stream }))
  const text = await answer.text()
  expect(answer.status, text).toBe(200)
  expect(text).toContain(given.stream ? '[DONE]' : '"completion_tokens":4')
  expect(store.unheard).toBe(0)
  const requestId = answer.headers.get('x-request-id')
  expect(await typesOf(requestId)).toEqual(['RequestAccepted', 'TokensMetered', 'CreditDebited'])
  expect(await ledger.balance(accountId)).toMatchObject({
    settled: 10_000n - 3n * 2n - 4n * 3n,
    held: 0n,
  })
  // The callers of the ledger were told that nothing is known: it was waited for all the same.
  expect(fixture.log.join('')).toContain('settlement not acknowledged, retrying')
})

test('a failure whose append stays unknown is told as that failure, and nothing is charged', async () => {
  store.unheard = 5
  fixture.worker.script = { ...fixture.worker.script, fault: { kind: 'no-meter' } }
  const answer = await fixture.post(chatBody())
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ error: { code: 'worker_failed' } })
  expect(await typesOf(answer.headers.get('x-request-id'))).toEqual([
    'RequestAccepted',
    'RequestFailed',
  ])
  expect(await ledger.balance(accountId)).toMatchObject({ settled: 10_000n, held: 0n })
})

test('a request that the sweeper ended before its settlement is not laid to the store', async () => {
  fixture.worker.script = { ...fixture.worker.script, delayMs: 250 }
  const asked = fixture.post(chatBody())
  const accepted = async () =>
    (await store.readAll({ after: -1n, limit: 1_000 })).find(
      ({ type }) => type === 'RequestAccepted',
    )
  await expect.poll(accepted).toBeDefined()
  const { requestId } = JSON.parse((await accepted())?.data ?? '{}') as { requestId: string }
  expect(await ledger.abandon(accountId, requestId, 'deadline_passed')).toBe(true)
  const answer = await asked
  expect(answer.status).toBe(504)
  const message = expect.stringContaining('Nothing was charged.')
  expect(await answer.json()).toMatchObject({ error: { code: 'timeout', message } })
  expect(await ledger.balance(accountId)).toMatchObject({ settled: 10_000n, held: 0n })
  const told = fixture.log.map((line) => (JSON.parse(line) as { msg: string }).msg)
  expect(told).toContain('request was given up before its settlement, nothing charged')
  expect(told.join()).not.toMatch(/event store|not acknowledged/)
})
