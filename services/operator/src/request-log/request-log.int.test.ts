/** What the log says of requests that a gateway answered, refused, or ended otherwise. */
import { ServiceError } from '@svc/contracts/errors'
import type { RefusedRequest } from '@svc/contracts/ports/refused-requests'
import { systemClock } from '@svc/infra/system/system-clock'
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { plainScript } from '@svc/testing/scripted-worker'
import { describe, expect, onTestFinished, test } from 'vitest'
import { RequestLog } from './request-log.ts'

/** This is in the question, the answer and the key, and may be in no line. */
const CANARY = 'canary'

interface Logged {
  readonly fixture: GatewayFixture
  readonly lines: (Record<string, unknown> & { readonly message: string })[]
  readonly refused: RefusedRequest[]
}

async function logged(mode: 'all' | 'errors' | 'off'): Promise<Logged> {
  const lines: Logged['lines'] = []
  const refused: RefusedRequest[] = []
  const requestObserver = new RequestLog({
    mode,
    refusedRequests: { note: (request) => void refused.push(request) },
    clock: systemClock,
    log: { info: (fields, message) => void lines.push({ ...fields, message }) },
  })
  const fixture = await startGateway({
    requestObserver,
    script: { ...plainScript, tokens: 5, cachedTokens: 1, text: () => CANARY },
  })
  onTestFinished(() => fixture[Symbol.asyncDispose]())
  return { fixture, lines, refused }
}

const question = (fields: object = {}) =>
  chatBody({ messages: [{ role: 'user', content: CANARY }], ...fields })

describe('all', () => {
  test.each([false, true])(
    'an answer, streamed %s, with its tokens and its cost',
    async (stream) => {
      const { fixture, lines, refused } = await logged('all')
      const answer = await fixture.post(question({ stream }))
      await answer.text()
      await expect.poll(() => lines).toHaveLength(1)
      const { accountId } = fixture.ledger
      expect(lines[0]).toEqual({
        message: 'request',
        requestId: answer.headers.get('x-request-id'),
        accountId,
        keyId: expect.stringMatching(/^key_/),
        outcome: 'answered',
        format: 'chat',
        model: 'svc-beta',
        status: 200,
        code: null,
        tokens: { input: 1, cached_input: 1, output: 5 },
        cost: '0.0000211',
        firstTokenMs: expect.any(Number),
        totalMs: expect.any(Number),
      })
      expect(refused).toEqual([])
      expect(JSON.stringify(lines)).not.toContain(CANARY)
    },
  )
})

describe('errors', () => {
  test('an answer leaves no line', async () => {
    const { fixture, lines } = await logged('errors')
    await (await fixture.post(question())).text()
    expect(lines).toEqual([])
  })

  test('a forged key is refused without a name', async () => {
    const { fixture, lines, refused } = await logged('errors')
    const authorization = `Bearer sk-svc-${CANARY}`
    const answer = await fixture.post(question(), { authorization })
    const requestId = answer.headers.get('x-request-id')
    const nobody = { requestId, accountId: null, keyId: null, model: null, status: 401 }
    await expect.poll(() => lines).toMatchObject([{ ...nobody, outcome: 'refused' }])
    expect(refused).toMatchObject([{ ...nobody, code: 'invalid_api_key', format: 'chat' }])
    expect(JSON.stringify([lines, refused])).not.toContain(CANARY)
  })

  test('what is quoted in a refusal is not kept', async () => {
    const { fixture, lines, refused } = await logged('errors')
    const answer = await fixture.post(question({ temperature: CANARY, [CANARY]: CANARY }))
    expect(answer.status).toBe(400)
    await expect.poll(() => lines).toHaveLength(1)
    expect(refused).toMatchObject([{ status: 400, message: null }])
    expect(refused[0]?.accountId).toBe(fixture.ledger.accountId)
    expect(JSON.stringify([lines, refused])).not.toContain(CANARY)
  })

  test('a run that failed is told with its model', async () => {
    const { fixture, lines, refused } = await logged('errors')
    for (const worker of fixture.workers) {
      worker.script = { ...plainScript, fault: { kind: 'error', afterTokens: 0, meter: true } }
    }
    const answer = await fixture.post(question())
    await answer.text()
    const { status } = answer
    await expect.poll(() => lines).toMatchObject([{ outcome: 'failed', status, model: 'svc-beta' }])
    expect(refused).toMatchObject([{ code: 'worker_failed', model: 'svc-beta' }])
  })

  test('a flood has fifty lines in a second, and the rest is counted', async () => {
    const lines: string[] = []
    let nowMs = 0
    const log = new RequestLog({
      mode: 'errors',
      refusedRequests: { note() {} },
      clock: { nowMs: () => nowMs },
      log: { info: (fields, message) => void lines.push(`${message} ${JSON.stringify(fields)}`) },
    })
    const refuse = () => {
      const identity = { requestId: 'req_1', accountId: null, keyId: null }
      log.refused('chat', new ServiceError('invalid_api_key', 'No key.'), identity)
    }
    for (let n = 0; n < 80; n += 1) refuse()
    expect(lines).toHaveLength(50)
    nowMs = 1_000
    refuse()
    expect(lines.slice(50)).toEqual([
      'requests left out {"lines":30}',
      expect.stringContaining('request {"requestId":"req_1"'),
    ])
  })
})

test('off: no line, and a refusal can be found all the same', async () => {
  const { fixture, lines, refused } = await logged('off')
  await fixture.post(question(), { authorization: '' })
  await expect.poll(() => refused).toHaveLength(1)
  expect(lines).toEqual([])
})
