/** What anybody, and what a customer, is told of prices. */
import { openAiErrorAnswer } from '@svc/contracts/wire/errors'
import { priceList } from '@svc/contracts/wire/prices'
import {
  chatBody,
  type FixtureOptions,
  type GatewayFixture,
  startGateway,
} from '@svc/testing/gateway/gateway-fixture'
import { testRates } from '@svc/testing/gateway/watched-ledger'
import { expect, onTestFinished, test } from 'vitest'
import { expectRefused } from '../../testing/oracle.ts'

const MODEL = 'svc-beta'
const HOUR_MS = 3_600_000

async function open(options: FixtureOptions = {}): Promise<GatewayFixture> {
  const fixture = await startGateway(options)
  onTestFinished(() => fixture[Symbol.asyncDispose]())
  return fixture
}

const nobody = (fixture: GatewayFixture, path = '/v1/prices') => fetch(`${fixture.baseUrl}${path}`)

async function pricesOf(answer: Response) {
  const { data } = priceList.parse(await answer.json())
  const [only, another] = data
  if (only === undefined || another !== undefined) throw new Error(`${data.length} prices`)
  return only
}

test('anybody is told the price in force, and the next as soon as it is announced', async () => {
  const fixture = await open()
  const { ledger } = fixture.ledger
  const before = await pricesOf(await nobody(fixture))
  const rates = { input: '1.00', cached_input: '0.10', output: '4.00' }
  expect(before).toMatchObject({ model: MODEL, price: rates, next_price: null })

  const effectiveFrom = Date.now() + HOUR_MS
  const dearer = { ...testRates, output: 5_000_000n }
  const { price } = await ledger.pricing.publish({ model: MODEL, rates: dearer, effectiveFrom })
  const { version } = price
  const effective_from = new Date(effectiveFrom).toISOString()
  expect(await pricesOf(await nobody(fixture))).toEqual({
    ...before,
    next_price: { ...before.price, version, output: '5.00', effective_from },
  })
  const page = await (await nobody(fixture, '/')).text()
  expect(page).toContain('$1.00 input, $0.10 cached input, $4.00 output')
  expect(page).toContain(`From ${effective_from} on: $1.00 input`)

  await ledger.pricing.withdraw({ version, reason: 'a slip', actor: 'operator' })
  expect(await pricesOf(await nobody(fixture))).toEqual(before)
})

test('a customer is told the prices of their own list, everywhere', async () => {
  const fixture = await open()
  const { ledger, accountId } = fixture.ledger
  const own = { ...testRates, output: 3_000_000n }
  await ledger.pricing.publish({ model: MODEL, priceList: 'acme', rates: own })
  await ledger.administration.setPriceList(accountId, { priceList: 'acme', actor: 'operator' })
  expect((await pricesOf(await fixture.get('/v1/prices'))).price?.output).toBe('3.00')
  for (const path of ['/v1/models', '/pro/v1/models']) {
    const { data } = (await (await fixture.get(path)).json()) as { data: object[] }
    expect(data).toMatchObject([{ price: { output: '3.00' }, next_price: null }])
  }
  const version = { 'anthropic-version': '2023-06-01' }
  const model = await (await fixture.get('/v1/models/svc-beta', version)).json()
  expect(model).toMatchObject({ type: 'model', price: { output: '3.00' }, next_price: null })

  const authorization = `Bearer ${fixture.ledger.otherSecret}`
  const others = await pricesOf(await fixture.get('/v1/prices', { authorization }))
  expect(others.price?.output).toBe('4.00')
  expect((await pricesOf(await nobody(fixture))).price?.output).toBe('4.00')

  // The least request has a token to read and one to write.
  await fixture.ledger.setBalance(0n)
  const refused = openAiErrorAnswer.parse(await (await fixture.post(chatBody())).json())
  expect(refused.error.funds?.required).toBe('0.000004')
})

test.each([{ authorization: 'Bearer sk-svc-wrong' }, { 'x-api-key': '' }, { authorization: 'no' }])(
  'the wrong key %j is refused, where prices are public too',
  async (headers) => {
    const fixture = await open()
    const answer = await fetch(`${fixture.baseUrl}/v1/prices`, { headers })
    await expectRefused(fixture, answer, { status: 401, code: 'invalid_api_key' })
  },
)

test('whoever has no key is told nothing where prices are not public', async () => {
  const fixture = await open({ publicPrices: false })
  await expectRefused(fixture, await nobody(fixture), { status: 401, code: 'invalid_api_key' })
  expect((await pricesOf(await fixture.get('/v1/prices'))).price?.output).toBe('4.00')
  expect(await (await nobody(fixture, '/')).text()).not.toContain('per million tokens')
})

test('one address asks for the public prices as often as its rate allows', async () => {
  const fixture = await open({ limits: { requestsPerMinutePerAddress: 2 } })
  const statuses: number[] = []
  for (let ask = 0; ask < 3; ask += 1) statuses.push((await nobody(fixture)).status)
  expect(statuses).toEqual([200, 200, 429])
})
