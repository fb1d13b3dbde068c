/** What a clock that is set back does to those who ask. */
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { afterEach, expect, test } from 'vitest'

const HOUR_MS = 3_600_000
/** Far less than the minute that a paced request waits at most. */
const AT_ONCE_MS = 10_000

let fixture: GatewayFixture
afterEach(() => fixture[Symbol.asyncDispose]())

test('large bodies wait no longer because the clock was set back', async () => {
  let setBackMs = 0
  const clock = { nowMs: () => Date.now() - setBackMs }
  fixture = await startGateway({ clock, limits: { smallBodyBytes: 10 } })
  expect((await fixture.post(chatBody())).status).toBe(200)
  setBackMs = HOUR_MS
  const late = AbortSignal.timeout(AT_ONCE_MS)
  const second = fixture.post(chatBody())
  const isLate = new Promise((resolve) => late.addEventListener('abort', () => resolve('late')))
  expect(await Promise.race([second.then(({ status }) => status), isLate])).toBe(200)
})
