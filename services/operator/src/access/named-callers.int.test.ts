/** Holders of admin tokens at the routes of a running service: seen, bounded, and ended. */
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { AdminRole } from '@svc/contracts/events/admin-tokens'
import { decodeEvent, decodeMetadata } from '@svc/contracts/events/codec'
import { wordsIn } from '@svc/contracts/kept-text'
import { START } from '@svc/contracts/ports/event-store'
import { withTextsShown } from '@svc/contracts/ports/shown-texts'
import { startAdminServer } from '@svc/testing/admin-server'
import { openRunningService, type RunningService } from '@svc/testing/running-service'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createRemoteOperations } from '../remote/remote-operations.ts'

const ROOT = 'the root token'
const never = new AbortController().signal

let service: RunningService
let baseUrl: string

beforeEach(async () => {
  service = await openRunningService()
  const server = await startAdminServer({ ...service, operatorToken: ROOT, badTokensPerMinute: 5 })
  onTestFinished(server.close)
  baseUrl = server.baseUrl
})

const as = (operatorToken: string) =>
  createRemoteOperations({ baseUrl, operatorToken, signal: never })

async function made(name: string, role: AdminRole) {
  const token = { name, role, expires_at: null }
  const { token_id, secret } = await as(ROOT).createAdminToken(token)
  if (secret === null) throw new Error('it is a new token')
  return { token_id, operations: as(secret), secret }
}

async function accountOpened(): Promise<string> {
  const opened = await as(ROOT).openAccount({ name: 'Grace', spend_policy: 'strict' })
  return opened.account_id
}

/** Reads the events with the names of the callers shown, which stand in no event. */
async function reads() {
  const stored = await storedReads()
  for (const [actor] of stored) expect(wordsIn(actor)).toHaveLength(1)
  return withTextsShown(service.texts, stored)
}

async function storedReads() {
  const events = await service.store.readAll({ after: START, limit: 1_000 })
  return events
    .filter(({ type }) => type === 'RecordsRead')
    .map((event) => [decodeMetadata(event).actor, decodeEvent(event).data] as const)
}

describe('who reads customers’ records', () => {
  test('leaves an event, when the question was answered', async () => {
    const accountId = await accountOpened()
    const { operations } = await made('finance', 'auditor')
    const span = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' }
    await operations.statement({ account_id: accountId, ...span, limit: 10 })
    await expect(operations.explain({ request_id: 'req_x' })).rejects.toThrow()
    await operations.status()
    expect(await reads()).toEqual([
      [
        'operator:finance',
        {
          operation: 'statement',
          subject: { account_id: accountId, ...span },
          at: expect.any(Number),
        },
      ],
    ])
  })

  test('leaves one event for all the pages of an export, and one for each customer', async () => {
    const [one, other] = [await accountOpened(), await accountOpened()]
    const { operations } = await made('finance', 'auditor')
    for (const account_id of [one, one, other, one]) {
      await operations.statement({ account_id, limit: 1 })
      await operations.listEvents({ limit: 1 })
      await operations.listEvents({ after: '0', limit: 1 })
    }
    expect((await reads()).map(([, data]) => data)).toMatchObject([
      { operation: 'statement', subject: { account_id: one, from: null, to: null } },
      { operation: 'listEvents', subject: { stream: null, type: null } },
      { operation: 'statement', subject: { account_id: other } },
    ])
  })

  test('leaves one for a tail, before the first line', async () => {
    const { operations } = await made('watcher', 'operator')
    const leave = new AbortController()
    const first = operations.tailEvents({}, leave.signal)[Symbol.asyncIterator]().next()
    const subject = { stream: null, type: null }
    await expect
      .poll(reads)
      .toMatchObject([['operator:watcher', { operation: 'tailEvents', subject }]])
    leave.abort()
    expect((await first).done).toBe(true)
  })

  test('leaves none with the root token', async () => {
    await accountOpened()
    await as(ROOT).listAccounts({ limit: 1 })
    expect(await reads()).toEqual([])
  })
})

test('whoever writes with a token is named by it', async () => {
  const { operations } = await made('shop', 'operator')
  await operations.openAccount({ name: 'Ada', spend_policy: 'strict' })
  const last = (await service.store.readAll({ after: START, limit: 10 })).at(-1)
  if (last === undefined) throw new Error('there is no event')
  const { actor } = decodeMetadata(last)
  expect([last.type, await withTextsShown(service.texts, actor)]).toEqual([
    'AccountOpened',
    'operator:shop',
  ])
  expect(last.metadata).not.toContain('shop')
  const { events } = await operations.listEvents({ type: 'AccountOpened', limit: 10 })
  expect(events.at(-1)?.metadata).toMatchObject({ actor: 'operator:shop' })
})

test('a tail that runs ends within seconds when its token is revoked', async () => {
  const { operations, token_id } = await made('thief', 'auditor')
  const lines: string[] = []
  const tail = (async () => {
    for await (const { type } of operations.tailEvents({ type: 'AccountOpened' })) lines.push(type)
  })()
  await accountOpened()
  await expect.poll(() => lines).toEqual(['AccountOpened'])
  await as(ROOT).revokeAdminToken({ token_id, reason: 'stolen' })
  await expect(tail).rejects.toMatchObject({ code: 'invalid_api_key' })
  await accountOpened()
  expect(lines).toEqual(['AccountOpened'])
})

test('a body that comes after its token was revoked changes nothing', async () => {
  const { secret, token_id } = await made('thief', 'operator')
  const body = JSON.stringify({ name: 'Mallory', spend_policy: 'strict' })
  const request = httpRequest(`${baseUrl}/admin/v1/accounts`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
  })
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  request.write(body.slice(0, 5))
  await as(secret).status()
  await as(ROOT).revokeAdminToken({ token_id, reason: 'stolen' })
  request.end(body.slice(5))
  const [response] = await answered
  response.resume()
  expect(response.statusCode).toBe(401)
  const types = (await service.store.readAll({ after: START, limit: 10 })).map(({ type }) => type)
  expect(types).toEqual(['AdminTokenCreated', 'AdminTokenRevoked'])
})

test('a token has few tails at once, and gets another when one ends', async () => {
  const { secret } = await made('watcher', 'auditor')
  const leave = Array.from({ length: 9 }, () => new AbortController())
  // The responses are kept: one that is collected as garbage ends its tail.
  const tails: Response[] = []
  const tail = async (n: number) => {
    const headers = { authorization: `Bearer ${secret}` }
    const signal = leave[n]?.signal ?? null
    const response = await fetch(`${baseUrl}/admin/v1/events/tail`, { headers, signal })
    tails.push(response)
    return response.status
  }
  for (let n = 0; n < 8; n += 1) expect(await tail(n)).toBe(200)
  expect(await tail(8)).toBe(429)
  leave[0]?.abort()
  await expect.poll(() => tail(8)).toBe(200)
  expect(tails.filter(({ status }) => status === 200)).toHaveLength(9)
  for (const each of leave) each.abort()
})

describe('wrong tokens', () => {
  const status = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${baseUrl}/admin/v1/tokens`, { headers })
    return [answer.status, answer.headers.get('retry-after')]
  }

  test('from one address are few; good ones from there still open', async () => {
    const { secret, token_id } = await made('finance', 'auditor')
    const forged = `${secret.slice(0, -1)}${secret.endsWith('a') ? 'b' : 'a'}`
    expect(await status(secret)).toEqual([200, null])
    for (let n = 0; n < 5; n += 1) expect(await status(forged)).toEqual([401, null])
    const seen = [await status(forged), await status(forged), await status('x')]
    for (const [code, wait] of seen) {
      expect(code).toBe(429)
      expect(Number(wait)).toBeGreaterThan(0)
    }
    expect(await status(secret)).toEqual([200, null])
    expect(await status(ROOT)).toEqual([200, null])
    await as(ROOT).revokeAdminToken({ token_id, reason: 'lost' })
    expect((await status(secret))[0]).toBe(429)
  })

  test('all get the same answer', async () => {
    const { secret, token_id } = await made('finance', 'auditor')
    await as(ROOT).revokeAdminToken({ token_id, reason: 'lost' })
    const bodies = await Promise.all(
      [secret, 'x', `sk-svc-${'0'.repeat(26)}-${'0'.repeat(38)}`].map(async (token) => {
        const headers = { authorization: `Bearer ${token}` }
        return (await fetch(`${baseUrl}/admin/v1/tokens`, { headers })).text()
      }),
    )
    expect(new Set(bodies).size).toBe(1)
  })
})
