/** An event store that is away for all requests leaves a few lines, and not one for each. */
import { StoreUnavailableError } from '@svc/contracts/ports/event-store'
import { chatBody, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { expect, onTestFinished, test } from 'vitest'

const REQUESTS = 40
/**
 * The time in which the rest is counted in a line: more than the second after which that happens.
 */
const REFUSED = 'requests refused: the event store cannot take them'

test('refused requests are counted in lines of one cause, without a stack', async () => {
  const fixture = await startGateway({ script: { tokens: 1 } })
  onTestFinished(() => fixture[Symbol.asyncDispose]())
  const cause = new Error('connect ECONNREFUSED 127.0.0.1:2113')
  fixture.ledger.durable = () =>
    Promise.reject(new StoreUnavailableError('the event store is away', { cause }))
  const answers = await Promise.all(
    Array.from({ length: REQUESTS }, () => fixture.post(chatBody())),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
  const lines = () =>
    fixture.log
      .map((line) => JSON.parse(line) as { msg: string; reason?: string; times?: number })
      .filter(({ msg }) => msg === REFUSED)
  const counted = () => lines().reduce((sum, { times = 0 }) => sum + times, 0)
  await expect.poll(counted).toBe(REQUESTS)
  expect(lines()[0]).toMatchObject({ reason: cause.message, times: 1 })
  expect(lines().length).toBeLessThan(REQUESTS / 4)
  expect(fixture.log.join()).not.toContain('"stack"')
})
