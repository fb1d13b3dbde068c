/** An answer says what it cost: what the ledger debited, to the last digit, and nothing before. */
import { formatExact } from '@svc/contracts/money'
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { wireFormats } from '@svc/testing/wire-formats'
import { eventsOf } from '@svc/testing/wire-formats/wire-format'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'

let fixture: GatewayFixture

beforeEach(async () => {
  fixture = await startGateway({ script: { tokens: 3, cachedTokens: 1, delayMs: 1 } })
})
afterEach(() => fixture[Symbol.asyncDispose]())

interface Costing {
  readonly usage?: { readonly cost?: string } | null
}
/** An event of any of the formats, with all places where it can have its usage. */
interface StreamedCosting extends Costing {
  readonly response?: Costing
  readonly message?: Costing
}

/** Reads what the ledger has debited, once. */
function debited(): string {
  const [debit, another] = fixture.ledger.debits()
  if (debit === undefined || another !== undefined) throw new Error('not one debit')
  return formatExact(debit[1])
}

const balance = async () =>
  formatExact((await fixture.ledger.ledger.balance(fixture.ledger.accountId)).settled)

describe.each(wireFormats)('in $name', (format) => {
  const post = (fields: object, headers = {}) =>
    postTo(fixture, format.paths[0], bodyOf(format, fields), headers)

  test('a whole answer names its debit and the balance after it: UX-15', async () => {
    const answer = await post({})
    const { usage } = (await answer.json()) as Costing
    expect(usage?.cost).toBe(debited())
    expect(usage?.cost).toMatch(/[1-9]/)
    expect(answer.headers.get('x-svc-cost')).toBe(debited())
    expect(answer.headers.get('x-svc-balance')).toBe(await balance())
  })

  test('a stream names it in its last usage, and nowhere before: UX-15', async () => {
    const answer = await post({ ...format.streamFields, stream: true })
    expect(answer.headers.has('x-svc-cost')).toBe(false)
    const costs = (eventsOf(await answer.text()) as StreamedCosting[]).flatMap((event) => {
      const usage = event.usage ?? event.response?.usage ?? event.message?.usage
      return usage ? [usage.cost] : []
    })
    expect(costs.at(-1)).toBe(debited())
    expect(costs.slice(0, -1).every((cost) => cost === undefined)).toBe(true)
  })

  test('a retry is told the cost of the one debit again', async () => {
    const key = { 'idempotency-key': 'a key' }
    const first = await post({}, key)
    // Another request comes in between: the balance has moved on, the answer has not.
    await (await postTo(fixture, format.paths[0], bodyOf(format, {}))).text()
    const retry = await post({}, key)
    expect(retry.headers.get('idempotent-replayed')).toBe('true')
    expect(await retry.text()).toBe(await first.text())
    for (const header of ['x-svc-cost', 'x-svc-balance']) {
      expect(retry.headers.get(header)).toMatch(/^\d+\.\d+$/)
      expect(retry.headers.get(header)).toBe(first.headers.get(header))
    }
  })
})

test('the cost that is told is made durable first', async () => {
  let isWritten = false
  fixture.ledger.beforeSettle = async () => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    isWritten = true
  }
  const [format] = wireFormats
  if (format === undefined) throw new Error('no format')
  const answer = await postTo(fixture, format.paths[0], bodyOf(format, {}))
  expect(isWritten).toBe(true)
  expect(answer.headers.get('x-svc-cost')).toBe(debited())
})

test('a compaction, and a stored response that is read again, name their cost', async () => {
  const input = 'hello there'
  const compact = await postTo(fixture, '/v1/responses/compact', { model: 'svc-beta', input })
  expect(((await compact.json()) as Costing).usage?.cost).toBe(debited())
  const made = await postTo(fixture, '/v1/responses', { model: 'svc-beta', input, store: true })
  const { id, usage } = (await made.json()) as Costing & { id: string }
  const read = (await (await fixture.get(`/v1/responses/${id}`)).json()) as Costing
  expect(read.usage).toEqual(usage)
})

test('a refusal names no cost', async () => {
  const refused = await postTo(fixture, '/v1/chat/completions', { model: 'gpt-4' })
  expect(refused.status).toBe(400)
  expect(refused.headers.has('x-svc-cost')).toBe(false)
})
