import { requestsQuery } from '@svc/contracts/wire/requests'
import { describe, expect, test } from 'vitest'
import type { RequestRow } from '../views/rows/request-rows.ts'
import { type RequestListViews, requestsPage } from './requests-answer.ts'

const KNOWN = 'req_01m8fhxfyh5kqt69d6nff3eg4s'
const NEW = 'req_01m8fhyjt8q0qprdmfs3x45vbn'

/** Only what a list shows of a request. */
function rowOf(requestId: string): RequestRow {
  const price = { version: 'price_1', input: 0n, cachedInput: 0n, output: 0n }
  const nothing = { lines: [], slices: [], refunds: [], events: [], cache: null, counts: null }
  const ended = { endedAt: null, finishReason: null, reason: null, latencies: null }
  return {
    requestId,
    accountId: 'acct_1',
    keyId: 'key_1',
    gatewayId: 'gw_1',
    status: 'running',
    format: 'chat',
    model: 'svc-beta',
    price,
    promptTokens: 1,
    maxOutputTokens: 1,
    hold: 0n,
    idempotency: null,
    reasoningTokens: 0,
    amount: 0n,
    balanceAfter: null,
    deadline: 0,
    acceptedAt: 0,
    ...nothing,
    ...ended,
  }
}

describe('a list of requests, while the view of requests lacks one that that of usage has', () => {
  const held = new Set([KNOWN])
  const views: RequestListViews = {
    requestIds: () => [NEW, KNOWN],
    request: async (id) => (held.has(id) ? rowOf(id) : undefined),
    keys: () => [],
    key: () => undefined,
  }
  const page = (catchUp: () => Promise<unknown>) =>
    requestsPage(views, 'acct_1', requestsQuery.parse({}), catchUp)

  test('is asked for again when it knows nothing of it: another gateway accepted it', async () => {
    const error = { code: 'view_behind', retryAfterSeconds: 1 }
    await expect(page(async () => {})).rejects.toMatchObject(error)
  })

  test('waits for the view, once, and then has both', async () => {
    let waits = 0
    const catchUp = async () => {
      waits += 1
      held.add(NEW)
    }
    expect((await page(catchUp)).data.map(({ id }) => id)).toEqual([NEW, KNOWN])
    expect((await page(catchUp)).data).toHaveLength(2)
    expect(waits).toBe(1)
  })
})
