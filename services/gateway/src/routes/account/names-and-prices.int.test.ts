/** What an operator or an owner changes later changes no past number, and every label. */
import { parseDollars } from '@svc/contracts/money'
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'

const REQUESTS = 4
/** All that was done, as files of a period that is over. */
const files = [
  'statement?as=csv',
  'statement?as=jsonl',
  'requests?as=jsonl',
  'usage?as=jsonl&group_by=key,model,class',
]

let fixture: GatewayFixture
let keyId: string
let to: string

beforeAll(async () => {
  fixture = await startGateway({ script: { tokens: 3, cachedTokens: 1 } })
  const { ledger, accountId } = fixture.ledger
  keyId = (await ledger.account(accountId)).keys[0]?.keyId ?? ''
  for (let i = 0; i < REQUESTS; i += 1) await (await fixture.post(chatBody())).text()
  const tomorrow = new Date(Date.now() + 86_400_000)
  to = tomorrow.toISOString().slice(0, 'yyyy-mm-dd'.length)
})
afterAll(() => fixture[Symbol.asyncDispose]())

async function text(path: string): Promise<string> {
  const answer = await fixture.get(path)
  expect(answer.status).toBe(200)
  return answer.text()
}

/** The rows of each file, and the hash of them that it ends with. */
async function rowsOf(path: string): Promise<readonly string[]> {
  const lines = (await text(`/v1/exports/${path}&to=${to}`)).split('\n')
  const heads = path.includes('csv') ? 2 : 1
  return lines.slice(heads)
}

/** Of the request that the list shows last. */
async function receipt(): Promise<Record<string, unknown>> {
  const { data } = JSON.parse(await text('/v1/requests?limit=1'))
  return JSON.parse(await text(`/v1/requests/${data[0].id}`))
}

test('a new price changes no number of the past: UX-06', async () => {
  const before = await Promise.all(files.map(rowsOf))
  const receiptBefore = await receipt()
  const { ledger } = fixture.ledger
  const price = ledger.pricing.published().find(({ model }) => model === 'svc-beta')
  if (price === undefined) throw new Error('no price is in force')
  const { input, cachedInput, output } = price
  await ledger.pricing.publish({
    model: 'svc-beta',
    rates: { input: input * 10n, cachedInput: cachedInput * 10n, output: output * 10n },
  })
  expect(await Promise.all(files.map(rowsOf))).toEqual(before)
  expect(await receipt()).toEqual(receiptBefore)
  const dearer = await fixture.post(chatBody())
  await dearer.text()
  const paid = await receipt()
  const picoOf = ({ amount }: Record<string, unknown>) => parseDollars(String(amount))
  expect(picoOf(paid)).toBe(picoOf(receiptBefore) * 10n)
})

test('a key that is renamed has its new name everywhere, and the history stays: UX-23', async () => {
  const { ledger, accountId, store } = fixture.ledger
  const rename = (name: string) =>
    ledger.administration.renameKey(accountId, {
      keyId,
      name,
      reason: 'for a test',
      actor: 'operator',
    })
  await rename('Former name')
  expect((await receipt()).key_name).toBe('Former name')
  const streamBefore = await store.readStream({
    stream: `account-${accountId}`,
    direction: 'forwards',
    limit: 1_000,
  })
  await rename('Nightly batch')
  const shown = await Promise.all(
    [
      '/v1/key',
      '/v1/requests',
      '/v1/statement',
      '/v1/usage?group_by=key',
      ...files
        .filter((path) => !path.startsWith('statement?as=csv'))
        .map((p) => `/v1/exports/${p}`),
    ].map(text),
  )
  for (const each of shown) {
    expect(each).toContain('Nightly batch')
    expect(each).not.toContain('Former name')
  }
  expect((await receipt()).key_name).toBe('Nightly batch')
  const streamAfter = await store.readStream({
    stream: `account-${accountId}`,
    direction: 'forwards',
    limit: 1_000,
  })
  expect(streamAfter.slice(0, streamBefore.length)).toEqual(streamBefore)
  expect(streamAfter.slice(streamBefore.length).map(({ type }) => type)).toEqual(['ApiKeyRenamed'])
})
