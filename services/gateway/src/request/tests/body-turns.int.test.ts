/** Bodies that take long to look at: their account waits for them, and nobody else does. */
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { afterEach, expect, test } from 'vitest'
import { expectErrorBody } from '../../../testing/oracle.ts'

const AT_ONCE = 8
/** Below the number that is refused at first sight. */
const KEYS = 9_000

let fixture: GatewayFixture
afterEach(() => fixture[Symbol.asyncDispose]())

const others = () => ({ authorization: `Bearer ${fixture.ledger.otherSecret}` })
/** Milliseconds of work, and then a refusal. */
const laborious = () =>
  chatBody({
    metadata: Object.fromEntries(Array.from({ length: KEYS }, (_, at) => [`field ${at}`, 1])),
  })

test('one account sends them all at once: another is answered between two of them', async () => {
  fixture = await startGateway({ limits: { refusalPauseMs: 0 } })
  await fixture.post(chatBody(), others())
  const told: string[] = []
  const body = laborious()
  const all = Array.from({ length: AT_ONCE }, async () => {
    expectErrorBody(await (await fixture.post(body)).text(), { status: 400, code: 'invalid_value' })
    told.push('own')
  })
  await Promise.race(all)
  expect((await fixture.post(chatBody(), others())).status).toBe(200)
  told.push('another')
  await Promise.all(all)
  expect(told.indexOf('another')).toBeLessThan(AT_ONCE)
})
