import { accountStream } from '@svc/contracts/events/account'
import { readSignerKey, signerKeyText } from '@svc/contracts/evidence/signed-note'
import { type EvidenceVerdict, verifyEvidence } from '@svc/contracts/evidence/verify-evidence'
import { consistencyAnswer, inclusionAnswer } from '@svc/contracts/wire/evidence'
import { TEST_KEY } from '@svc/testing/evidence-sources'
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { expectErrorBody } from '../../../testing/oracle.ts'

let fixture: GatewayFixture
const ids: string[] = []

beforeAll(async () => {
  fixture = await startGateway({ script: { tokens: 3, cachedTokens: 1 } })
  for (let i = 0; i < 3; i += 1) {
    const answer = await fixture.post(chatBody())
    ids.push(answer.headers.get('x-request-id') ?? '')
    await answer.text()
  }
})
afterAll(() => fixture[Symbol.asyncDispose]())

const other = () => ({ authorization: `Bearer ${fixture.ledger.otherSecret}` })

async function text(path: string, headers = {}): Promise<string> {
  const answer = await fixture.get(path, headers)
  const body = await answer.text()
  expect(answer.status, body).toBe(200)
  return body
}

const verdictOn = (file: string, checkpoint?: string): Promise<EvidenceVerdict> =>
  verifyEvidence([Buffer.from(file)], {
    key: TEST_KEY,
    ...(checkpoint === undefined ? {} : { checkpoint }),
  })

test('the evidence of an account verifies with the key alone', async () => {
  const file = await text('/v1/evidence')
  const events = file.trimEnd().split('\n').length - 1
  expect(events).toBeGreaterThanOrEqual(9)
  expect(await verdictOn(file)).toEqual({
    stream: accountStream(fixture.ledger.accountId),
    request: null,
    verdict: 'ok',
    events,
    first_broken: null,
    covered_to: events - 1,
    not_covered: null,
  })
})

test('the evidence of a request verifies, and holds its own events only', async () => {
  const file = await text(`/v1/requests/${ids[1]}/evidence`)
  const verdict = await verdictOn(file)
  expect(verdict).toMatchObject({ verdict: 'ok', events: 3 })
  const types = file
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line)[4])
  expect(types).toEqual(['RequestAccepted', 'TokensMetered', 'CreditDebited'])
  expect(file).not.toContain(ids[0])
})

test('the evidence of a request of somebody else is not there', async () => {
  for (const id of [ids[0], 'req_none', 'x']) {
    const answer = await fixture.get(`/v1/requests/${id}/evidence`, other())
    expect(answer.status).toBe(404)
    expectErrorBody(await answer.text(), { status: 404, code: 'not_found' })
  }
  expect(await text('/v1/evidence', other())).not.toContain(ids[0])
})

test('a later file shows that it goes on from an earlier checkpoint', async () => {
  const before = await text('/evidence/checkpoint')
  await (await fixture.post(chatBody())).text()
  const size = Number(before.split('\n')[1])
  const unrelated = await text('/v1/evidence')
  expect(await verdictOn(unrelated, before)).toMatchObject({
    verdict: 'not_covered',
    not_covered: 'no_consistency_proof',
  })
  const file = await text(`/v1/evidence?since=${size}`)
  expect(await verdictOn(file, before)).toMatchObject({ verdict: 'ok' })
  const now = await text('/evidence/checkpoint')
  expect(await verdictOn(file, now)).toMatchObject({ verdict: 'ok' })
})

test('checkpoint, key and proofs of the tree need no key', async () => {
  const open = async (path: string) => fetch(`${fixture.baseUrl}${path}`)
  expect(await (await open('/evidence/key')).text()).toBe(`${TEST_KEY}\n`)
  const size = Number((await (await open('/evidence/checkpoint')).text()).split('\n')[1])
  const inclusion = await open(`/evidence/inclusion?leaf=${size - 1}&size=${size}`)
  expect(inclusionAnswer.strict().parse(await inclusion.json())).toMatchObject({ size })
  const consistency = await open(`/evidence/consistency?from=2&to=${size}`)
  expect(consistencyAnswer.strict().parse(await consistency.json())).toMatchObject({ from: 2 })
})

test.each([
  ['/evidence/inclusion?leaf=0', 'missing_required_parameter', 'size: is missing'],
  ['/evidence/consistency', 'missing_required_parameter', 'from: is missing'],
  ['/evidence/inclusion?leaf=x&size=1', 'invalid_value', 'leaf: must be a number'],
  ['/v1/usage?limit=ten', 'invalid_value', 'limit: must be a number'],
])('%s is refused with %s: %s', async (path, code, message) => {
  const answer = await fixture.get(path)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: { code, message } })
})

test.each([
  ['/v1/evidence?since=100000', 'since'],
  ['/v1/evidence?since=-1', 'since'],
  ['/v1/evidence?since=', 'since'],
  ['/v1/evidence?until=1', 'until'],
  ['/evidence/inclusion?leaf=9&size=9', 'leaf'],
  ['/evidence/inclusion?leaf=0&size=100000', 'size'],
  ['/evidence/consistency?from=3&to=2', 'from'],
  ['/evidence/consistency?from=1.5&to=2', 'from'],
])('%s is 400 and names the field', async (path, param) => {
  const answer = await fixture.get(path)
  expect(answer.status).toBe(400)
  const body = await answer.text()
  expectErrorBody(body, { status: 400, code: 'invalid_value' })
  expect(JSON.parse(body).error.param).toBe(param)
})

test('a HEAD reads no history', async () => {
  const { store } = fixture.ledger
  const read = vi.spyOn(store, 'readStream')
  const headers = { authorization: `Bearer ${fixture.ledger.secret}` }
  const answer = await fetch(`${fixture.baseUrl}/v1/evidence`, { method: 'HEAD', headers })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
  expect(read).not.toHaveBeenCalled()
  read.mockRestore()
})

test('of another key nothing verifies', async () => {
  const { text: key } = readSignerKey(signerKeyText('svc/test', Buffer.alloc(32, 8))).verifier
  const verdict = await verifyEvidence([Buffer.from(await text('/v1/evidence'))], { key })
  expect(verdict).toMatchObject({ verdict: 'broken', first_broken: { what: 'checkpoint' } })
})
