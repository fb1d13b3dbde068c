/**
 * Words that must not leak: key, prompt, answer and Idempotency-Key are sent through
 * every path, and then looked for in all that is logged, stored and said to somebody else.
 */

import { parseDollars } from '@svc/contracts/money'
import { START } from '@svc/contracts/ports/event-store'
import { MODEL } from '@svc/contracts/wire/models'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { newKey } from '@svc/testing/ledger/open-ledger'
import { openRunningLedger } from '@svc/testing/ledger/running-ledger'
import type { Fault } from '@svc/testing/scripted-worker'
import { expect, test } from 'vitest'
import { sendRaw } from '../../../testing/raw-socket.ts'

const PROMPT = 'canaryPrompt7f3a'
const ANSWER = 'canaryAnswer91cc'
const IDEMPOTENCY = 'canaryIdempotency44d0'
const FOREIGN = 'canaryForeignHeader'

async function openLedger() {
  const store = new MemoryEventStore()
  const { ledger } = await openRunningLedger(store)
  await ledger.pricing.publish({ model: MODEL, rates: { input: 2n, cachedInput: 1n, output: 3n } })
  const actor = 'test'
  const { accountId } = await ledger.administration.openAccount({ name: 'test', actor })
  const { secret } = await newKey(ledger, accountId, { name: 'test', actor })
  await ledger.administration.grant(accountId, {
    amount: parseDollars('1'),
    category: 'paid',
    priority: 0,
    expiresAt: null,
    reference: null,
    reason: 'test',
    actor,
  })
  return { store, ledger, secret }
}

const ask = (fields: object = {}) =>
  chatBody({ messages: [{ role: 'user', content: PROMPT }], ...fields })

const faults: readonly Fault[] = [
  { kind: 'die', afterTokens: 2 },
  { kind: 'error', afterTokens: 1, meter: true },
  { kind: 'garbage', afterTokens: 1, line: `<html>${ANSWER}` },
  { kind: 'garbage', afterTokens: 1, line: `{"type":"token","text":"${ANSWER}","kind":"no"}` },
  { kind: 'wrong-meter', input: 50, output: 2_000 },
  { kind: 'no-meter' },
]

/** @returns the bodies of the errors that were answered */
async function goEveryWay(fixture: GatewayFixture, secret: string): Promise<string[]> {
  const errors: string[] = []
  const post = async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await fixture.post(body, { 'x-foreign': FOREIGN, ...headers })
    const text = await response.text()
    if (response.status !== 200) errors.push(text)
  }
  const key = { 'idempotency-key': IDEMPOTENCY }
  for (const fields of [{}, { stream: true }]) {
    await post(ask(fields))
    await post(ask(fields), { ...key, 'idempotency-key': `${IDEMPOTENCY}${fields.stream}` })
  }
  await post(ask({ seed: 1 }), { 'idempotency-key': `${IDEMPOTENCY}true` })
  await post(ask({ user: PROMPT, n: 2 }))
  await post(ask({ max_tokens: 10 ** 7 }))
  await post(`{"messages": "${PROMPT}`)
  await post(ask({ temperature: PROMPT }))
  await post(ask(), { authorization: `Bearer ${secret}x` })
  const plain = fixture.worker.script
  for (const fault of faults) {
    fixture.worker.script = { ...plain, fault }
    await post(ask())
    await post(ask({ stream: true }))
    await fixture.pool.whenReady(5_000)
  }
  fixture.worker.script = plain
  errors.push((await sendRaw(fixture.port, `GET /v1/${secret} HTTP/9\r\nA ${PROMPT}\r\n\r\n`)).body)
  errors.push(await (await fixture.get(`/v1/models?key=${secret}&q=${PROMPT}`, key)).text())
  errors.push(await (await fixture.get(`/v1/requests/none?key=${secret}`)).text())
  return errors
}

test('K: keys, prompts and answers are in no log line, event, or error', async () => {
  const { store, ledger, secret } = await openLedger()
  const fixture = await startGateway({
    real: { ledger, secret },
    script: { tokens: 3, delayMs: 2, text: () => ANSWER },
    logLevel: 'trace',
  })
  let errors: string[]
  try {
    errors = await goEveryWay(fixture, secret)
  } finally {
    await fixture[Symbol.asyncDispose]()
    await ledger.close()
  }
  const events = (await store.readAll({ after: START, limit: 10_000 })).map(
    ({ position, ...event }) => JSON.stringify({ ...event, position: `${position}` }),
  )
  // Each place must hold something, or nothing was looked at.
  expect(events.filter((event) => event.includes('CreditDebited')).length).toBeGreaterThan(5)
  expect(fixture.log.length).toBeGreaterThan(2)
  expect(errors.length).toBeGreaterThan(8)
  const secretPart = secret.slice(-38)
  for (const [place, lines] of Object.entries({ log: fixture.log, events, errors })) {
    for (const canary of [secretPart, PROMPT, ANSWER, IDEMPOTENCY, FOREIGN]) {
      expect(
        lines.filter((line) => line.includes(canary)),
        `${canary} in ${place}`,
      ).toEqual([])
    }
  }
})
