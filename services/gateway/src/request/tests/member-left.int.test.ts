/** Somebody is taken out of an account, or disabled, while the dashboard's chat answers them. */
import { DASHBOARD_PREFIX } from '@svc/contracts/dashboard/declaration'
import type { AccountSessions } from '@svc/contracts/ports/account-sessions'
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { plainScript } from '@svc/testing/scripted-worker'
import { StreamReader } from '@svc/testing/stream-reader'
import { afterEach, beforeEach, expect, test } from 'vitest'

let fixture: GatewayFixture
let gone: Set<string>

beforeEach(async () => {
  gone = new Set()
  const sessions: AccountSessions = {
    memberOf: async ({ headers }, accountId) => {
      return { userId: String(headers.cookie), accountId, role: 'member' }
    },
    staysIn: async ({ userId }) => !gone.has(userId),
  }
  fixture = await startGateway({ dashboard: { sessions, routes: async () => {} } })
  // This run takes most of a minute.
  fixture.worker.script = { ...plainScript, tokens: 1_000, delayMs: 50 }
})
afterEach(() => fixture[Symbol.asyncDispose]())

function chat(userId: string, stream: boolean, signal?: AbortSignal): Promise<Response> {
  const path = `${DASHBOARD_PREFIX}/accounts/${fixture.ledger.accountId}/chat/completions`
  return fetch(`${fixture.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: userId },
    body: JSON.stringify(chatBody({ stream, max_tokens: 1_000 })),
    ...(signal === undefined ? {} : { signal }),
  })
}

test('their stream ends and says why, and what was made is charged', async () => {
  const reader = new StreamReader(await chat('usr_a', true))
  await reader.until('word5')
  gone.add('usr_a')
  const rest = await reader.rest()
  expect(rest).toContain('"code":"not_allowed"')
  expect(rest).toContain('taken out of the account')
  expect(rest).not.toContain('[DONE]')
  const { settled, debited } = fixture.ledger.only()
  expect(settled?.input).toMatchObject({ finishReason: 'cancelled', failure: 'member_left' })
  expect(debited).toBeGreaterThan(0n)
  expect(fixture.ledger.openHolds()).toBe(0n)
})

test('an answer of which nothing was sent ends with 403 and is free; that of others goes on', async () => {
  const left = new AbortController()
  const other = chat('usr_b', false, left.signal)
  await expect.poll(() => fixture.worker.runs.length).toBe(1)
  const answer = chat('usr_a', false)
  await expect.poll(() => fixture.worker.runs[1]?.made).toBeGreaterThan(2)
  gone.add('usr_a')
  expect((await answer).status).toBe(403)
  expect(fixture.ledger.debits()).toEqual([])
  const stopped = fixture.worker.runs.map(({ cancelledAt }) => cancelledAt !== undefined)
  expect(stopped).toEqual([false, true])
  left.abort()
  await expect(other).rejects.toThrow()
})
