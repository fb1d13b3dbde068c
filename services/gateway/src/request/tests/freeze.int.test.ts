/** The operator freezes an account: what it has under way ends, and its customer is told why. */
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { openRunningLedger } from '@svc/testing/ledger/running-ledger'
import { plainScript, type WorkerScript } from '@svc/testing/scripted-worker'
import { StreamReader } from '@svc/testing/stream-reader'
import { wireFormats } from '@svc/testing/wire-formats'
import { chatFormat } from '@svc/testing/wire-formats/chat-format'
import type { WireFormat } from '@svc/testing/wire-formats/wire-format'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'

const WHY = { reason: 'chargeback', actor: 'operator' }
/** A run that takes most of a minute. */
const LONG_RUN = { tokens: 1_000, delayMs: 50 }
const LONG = {
  chat: { max_tokens: 1_000 },
  responses: { max_output_tokens: 1_000 },
  messages: { max_tokens: 1_000 },
}

let fixture: GatewayFixture

beforeEach(async () => {
  fixture = await startGateway()
})
afterEach(() => fixture[Symbol.asyncDispose]())

const play = (script: Partial<WorkerScript>) => {
  fixture.worker.script = { ...plainScript, ...script }
}

function post(fields: object, format: WireFormat = chatFormat): Promise<Response> {
  const body = bodyOf(format, { ...fields, ...LONG[format.name] })
  return postTo(fixture, format.paths[0], body)
}

function freeze(): Promise<boolean> {
  return fixture.ledger.ledger.administration.freeze(fixture.ledger.accountId, WHY)
}

/** An error as the format shows it: its code, or for Anthropic's family its kind. */
function shown(format: WireFormat): string {
  return format.family === 'openai' ? '"code":"account_frozen"' : '"type":"permission_error"'
}

async function expectFrozen(answer: Response, format: WireFormat): Promise<void> {
  expect(answer.status).toBe(403)
  const text = await answer.text()
  expect(text).toContain(shown(format))
  expect(text).toContain('frozen')
}

describe.each(wireFormats)('$name', (format) => {
  test.each([true, false])('a frozen account is refused, stream %s', async (stream) => {
    play({ tokens: 3 })
    await freeze()
    await expectFrozen(await post({ stream }, format), format)
    expect([fixture.ledger.acceptCalls, fixture.worker.runs]).toEqual([0, []])
  })

  test('a stream that runs ends with the error, and what was made is charged', async () => {
    play(LONG_RUN)
    const answer = await post({ stream: true }, format)
    const reader = new StreamReader(answer)
    await reader.until('word5')
    await freeze()
    const rest = await reader.rest()
    expect(rest).toContain(shown(format))
    expect(rest).toContain('what had been sent by then is charged')
    expect(rest).not.toMatch(/\[DONE\]|response.completed|message_stop/)
    const { settled, debited } = fixture.ledger.only()
    expect(settled?.input).toMatchObject({
      rule: 'metered_until_cancelled',
      finishReason: 'cancelled',
      failure: 'account_frozen',
    })
    expect(settled?.input.meter.outputTokens).toBe(fixture.worker.runs[0]?.made)
    expect(debited).toBeGreaterThan(0n)
    expect(fixture.ledger.openHolds()).toBe(0n)
  })

  test('an answer of which nothing was sent ends with 403, and is free', async () => {
    play(LONG_RUN)
    const answer = post({ stream: false }, format)
    await expect.poll(() => fixture.worker.runs[0]?.made).toBeGreaterThan(2)
    await freeze()
    await expectFrozen(await answer, format)
    expect(fixture.ledger.only()).toMatchObject({ failed: 'account_frozen' })
    expect([fixture.ledger.debits(), fixture.ledger.openHolds()]).toEqual([[], 0n])
  })
})

test('the requests of another account go on', async () => {
  play(LONG_RUN)
  const running = post({ stream: false })
  await expect.poll(() => fixture.worker.runs.length).toBe(1)
  const left = new AbortController()
  const authorization = `Bearer ${fixture.ledger.otherSecret}`
  const body = bodyOf(chatFormat, LONG.chat)
  const other = postTo(fixture, chatFormat.paths[0], body, { authorization }, left.signal)
  await expect.poll(() => fixture.worker.runs.length).toBe(2)
  await freeze()
  expect((await running).status).toBe(403)
  expect(fixture.worker.runs.map(({ cancelledAt }) => cancelledAt !== undefined)).toEqual([
    true,
    false,
  ])
  left.abort()
  await expect(other).rejects.toThrow()
})

test('a freeze that another gateway wrote ends what runs on this one', async () => {
  play(LONG_RUN)
  // Opens the views, which tell this gateway what others wrote.
  await fixture.get('/v1/requests')
  const answer = post({ stream: false })
  await expect.poll(() => fixture.worker.runs[0]?.made).toBeGreaterThan(2)
  const { accountId, store } = fixture.ledger
  const { ledger: elsewhere } = await openRunningLedger(store)
  await elsewhere.administration.freeze(accountId, WHY)
  expect(fixture.ledger.ledger.isKnownFrozen(accountId)).toBe(false)
  expect((await answer).status).toBe(403)
  await elsewhere.close()
})

test('a request after an unfreezing runs, whatever a view still says of the account', async () => {
  await fixture[Symbol.asyncDispose]()
  fixture = await startGateway({ isFrozenInView: true })
  play({ tokens: 20, delayMs: 50 })
  expect((await post({ stream: false })).status).toBe(200)
})
