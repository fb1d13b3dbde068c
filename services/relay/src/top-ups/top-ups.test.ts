import { ServiceError } from '@svc/contracts/errors'
import { RECORD_BYTES_MAX } from '@svc/contracts/ports/bus'
import { MemoryBus } from '@svc/infra/bus/memory/memory-bus'
import { MemoryCluster } from '@svc/infra/bus/memory/memory-cluster'
import { Random } from '@svc/testing/random'
import { expect, test } from 'vitest'
import { House, TOPIC, TRIED_AGAIN_MS } from '../../testing/top-ups-house.ts'

test('a payment is a grant, once, however often it comes', async () => {
  const house = await House.open()
  const topUps = house.takeTopUps()
  const payment = house.payment({ amount: '25.00', reference: 'pay_1', reason: 'card' })
  await house.pay(...Array.from({ length: 50 }, () => payment))
  await house.pay(house.payment({ amount: '0.5', reference: 'pay_2', category: 'promotional' }))
  expect(await house.grants()).toMatchObject([
    { amount: 25_000_000_000_000n, category: 'paid', priority: 100, expiresAt: null },
    { amount: 500_000_000_000n, category: 'promotional' },
  ])
  expect(topUps.status()).toMatchObject({ granted: 2, repeated: 49, dead: 0, waiting: 0n })
})

test('a payment that was granted by hand before is not granted again', async () => {
  const house = await House.open()
  await house.grantByHand('25.00', 'pay_1')
  const topUps = house.takeTopUps()
  await house.pay(house.payment({ amount: '25.00', reference: 'pay_1' }))
  expect(await house.grants()).toHaveLength(1)
  expect(topUps.status()).toMatchObject({ granted: 0, repeated: 1 })
})

test.each([
  ['no JSON', () => 'paid!', 'invalid_json', 'it is not valid JSON'],
  ['nothing', () => '', 'invalid_json', 'it is not valid JSON'],
  ['a list', () => '[]', 'invalid_json', 'it must be a JSON object'],
  [
    'an amount that is there twice',
    (house: House) => house.payment({}).replace('{', '{"amount":"1.00",'),
    'invalid_json',
    'the key "amount" is there twice',
  ],
  [
    'half a surrogate pair in the reason',
    (house: House) => house.payment({ reason: 'x' }).replace('"x"', '"\\ud83d"'),
    'invalid_json',
    'half a surrogate pair',
  ],
  [
    'a number for an amount',
    (house: House) => house.payment({ amount: 5 }),
    'invalid_value',
    'amount: ',
  ],
  [
    'less than zero',
    (house: House) => house.payment({ amount: '-5' }),
    'invalid_value',
    'amount: ',
  ],
  [
    'a fraction of a pico-dollar',
    (house: House) => house.payment({ amount: '0.0000000000001' }),
    'invalid_value',
    'amount: ',
  ],
  ['euros', (house: House) => house.payment({ currency: 'EUR' }), 'invalid_value', 'currency: '],
  [
    'no reference',
    (house: House) => house.payment({ reference: null }),
    'invalid_value',
    'reference: ',
  ],
  [
    'a missing reference',
    (house: House) => house.payment({ reference: undefined }),
    'missing_required_parameter',
    'reference: is missing',
  ],
  [
    'an unknown field',
    (house: House) => house.payment({ expires: 'soon' }),
    'invalid_value',
    'expires',
  ],
  [
    'an end that is over',
    (house: House) => house.payment({ expires_at: '2020-01-01T00:00:00Z' }),
    'invalid_value',
    'expired already',
  ],
  ['no account', (house: House) => house.payment({ account_id: 'Ada' }), 'not_found', 'Ada'],
  [
    'an unknown account',
    (house: House) => house.payment({ account_id: 'acct_01J9Z2Q4T8XKQ7N5V3M6R0W1YB' }),
    'not_found',
    'acct_01J9',
  ],
])(
  '%s goes to the dead letters with the reason, and the rest goes on',
  async (_, write, code, words) => {
    const house = await House.open()
    const topUps = house.takeTopUps()
    const poison = write(house)
    await house.pay(poison, house.payment({ reference: 'good' }))
    expect(await house.grants()).toHaveLength(1)
    const [letter, ...more] = await house.deadLetters()
    expect(more).toEqual([])
    expect(letter).toMatchObject({ key: house.accountId, value: poison })
    const { 'dead-reason': reason, ...headers } = letter?.headers ?? {}
    const place = { 'dead-topic': TOPIC, 'dead-partition': '0', 'dead-offset': '0' }
    expect(headers).toEqual({ from: 'bank', 'dead-code': code, ...place })
    expect(reason).toContain(words)
    expect(topUps.status()).toMatchObject({ granted: 1, dead: 1, trouble: null })
  },
)

test('a reference that comes with another amount is refused, and the first amount stays', async () => {
  const house = await House.open()
  house.takeTopUps()
  await house.pay(house.payment({ amount: '5.00' }), house.payment({ amount: '6.00' }))
  expect(await house.grants()).toMatchObject([{ amount: 5_000_000_000_000n }])
  const [letter] = await house.deadLetters()
  expect(letter?.headers).toMatchObject({ 'dead-code': 'conflict' })
})

test('a dead letter that is too large keeps its place instead of its value', async () => {
  const house = await House.open()
  house.takeTopUps()
  const large = 'x'.repeat(RECORD_BYTES_MAX - 100)
  await house.pay(large, house.payment({}))
  const [letter] = await house.deadLetters()
  expect(letter?.value).toBe('')
  expect(letter?.headers).toMatchObject({ 'dead-cut': `${large.length}`, 'dead-offset': '0' })
  expect(await house.grants()).toHaveLength(1)
})

test('a payment in another encoding is kept as it is: read as text, it looks like the next', async () => {
  const house = await House.open()
  const topUps = house.takeTopUps()
  const payments = ['Mär', 'Mör'].map((reference) => {
    return Buffer.from(house.payment({ reference }), 'latin1')
  })
  await house.pay(...payments)
  expect(await house.grants()).toEqual([])
  expect(topUps.status()).toMatchObject({ granted: 0, repeated: 0, dead: 2 })
  const letters = await house.deadLetters()
  expect(letters.map(({ bytes }) => bytes)).toEqual(payments)
  const why = { 'dead-code': 'invalid_json', 'dead-reason': 'The value is not UTF-8.' }
  for (const { headers } of letters) expect(headers).toMatchObject(why)
})

test('while the ledger is away nothing passes, and then all of it is granted in order', async () => {
  const house = await House.open()
  const topUps = house.takeTopUps()
  house.ledgerFault = new ServiceError('store_unavailable', 'The store is away.')
  const references = ['pay_1', 'pay_2', 'pay_3']
  await house.pay(...references.map((reference) => house.payment({ reference })))
  await house.pass(60_000)
  expect(topUps.status()).toMatchObject({ granted: 0, waiting: 3n, trouble: 'The store is away.' })
  expect(house.errors).toEqual(['top-ups cannot be taken, retrying'])
  house.ledgerFault = new TypeError('a defect')
  await house.pass(60_000)
  house.ledgerFault = undefined
  await house.pass(TRIED_AGAIN_MS)
  expect(topUps.status()).toMatchObject({ granted: 3, waiting: 0n, trouble: null })
  expect(await house.deadLetters()).toEqual([])
})

test('nobody knows how many wait while the bus is away', async () => {
  const house = await House.open()
  house.cluster.goAway()
  const topUps = house.takeTopUps()
  expect(topUps.status().waiting).toBeNull()
  house.cluster.comeBack()
  await house.pay(house.payment({ reference: 'pay_1' }))
  expect(topUps.status()).toMatchObject({ granted: 1, waiting: 0n })
})

test('a damaged account keeps no other waiting', async () => {
  const house = await House.open()
  house.takeTopUps()
  house.ledgerFault = new ServiceError('account_damaged', 'Its records are damaged.')
  await house.pay(house.payment({}))
  house.ledgerFault = undefined
  await house.pay(house.payment({ reference: 'good' }))
  expect(await house.grants()).toHaveLength(1)
  expect(await house.deadLetters()).toHaveLength(1)
})

test('while the dead letters are not kept nothing passes, and that is told', async () => {
  const house = await House.open()
  const cut = new MemoryCluster()
  await house.makeTopic(cut)
  const topUps = house.takeTopUps('svc', splitBus(house, cut))
  cut.goAway()
  await house.pay('poison', house.payment({}))
  await house.pass(60_000)
  expect(await house.grants()).toEqual([])
  expect(topUps.status().trouble).toContain('away')
  cut.comeBack()
  await house.pass(60_000)
  expect(await house.grants()).toHaveLength(1)
  expect(topUps.status()).toMatchObject({ dead: 1, trouble: null })
})

test('two servers, of which one dies between the grant and the commit, grant each payment once', async () => {
  const house = await House.open()
  const draw = new Random(7)
  const references: string[] = []
  let servers = [house.takeTopUps(), house.takeTopUps()]
  for (let round = 0; round < 30; round += 1) {
    const paid = Array.from({ length: 4 }, (_, at) => `pay_${round}_${at}`)
    references.push(...paid)
    // The stop comes halfway through a grant: whether it is durable by then is left to chance.
    house.holdGrants()
    await house.pay(...paid.map((reference) => house.payment({ reference })), 'poison')
    const dying = servers[draw.integer(2)]
    await dying?.stop()
    house.letGrantsGo()
    servers = [...servers.filter((server) => server !== dying), house.takeTopUps()]
  }
  await house.pass(TRIED_AGAIN_MS)
  expect(await house.grants()).toHaveLength(references.length)
  expect(house.asked).toBeGreaterThan(references.length)
  const offsets = (await house.deadLetters()).map(({ headers }) => headers['dead-offset'])
  expect(new Set(offsets).size).toBe(30)
})

test('a ledger of before takes nothing more for the group, and all of it for another', async () => {
  const house = await House.open()
  const first = house.takeTopUps()
  await house.pay(house.payment({ reference: 'pay_1' }), house.payment({ reference: 'pay_2' }))
  await first.stop()
  const restored = await House.on(house.cluster)
  await restored.grantByHand('5.00', 'pay_1')
  const topUps = restored.takeTopUps()
  await restored.pay(restored.payment({ reference: 'pay_3' }))
  await restored.pass(60_000)
  expect(await restored.grants()).toHaveLength(1)
  expect(topUps.status()).toMatchObject({
    granted: 0,
    trouble: expect.stringMatching(/^the group svc has taken payments .* such as pay_2 of acct_.*/),
  })
  expect(restored.errors).toEqual(['top-ups cannot be taken, retrying'])
  await topUps.stop()
  const anew = restored.takeTopUps('svc-2')
  await restored.pass(TRIED_AGAIN_MS)
  expect(await restored.grants()).toHaveLength(3)
  expect(anew.status()).toMatchObject({ granted: 2, repeated: 1, trouble: null })
})

test('a last payment that is known, or in the dead letters, keeps nobody from the next', async () => {
  const house = await House.open()
  for (const last of [house.payment({}), 'poison', house.payment({ account_id: 'Ada' })]) {
    const before = house.takeTopUps()
    await house.pay(last)
    await before.stop()
    const topUps = house.takeTopUps()
    await house.pay(house.payment({ reference: last }))
    expect(topUps.status()).toMatchObject({ granted: 1, trouble: null })
    await topUps.stop()
  }
})

test('a dead letter for an account that was opened since keeps nobody from the next', async () => {
  const house = await House.open()
  const before = house.takeTopUps()
  const late = await (await House.on(new MemoryCluster())).openAccount('crm-2')
  await house.pay(house.payment({ account_id: late }))
  expect(await house.deadLetters()).toHaveLength(1)
  await before.stop()
  expect(await house.openAccount('crm-2')).toBe(late)
  const topUps = house.takeTopUps()
  await house.pay(house.payment({ reference: 'pay_2' }))
  expect(topUps.status()).toMatchObject({ granted: 1, trouble: null })
})

test('while the ledger cannot be asked for the last payment nothing is taken, and then it is', async () => {
  const house = await House.open()
  const before = house.takeTopUps()
  await house.pay(house.payment({}))
  await before.stop()
  house.ledgerFault = new ServiceError('store_unavailable', 'The store is away.')
  const topUps = house.takeTopUps()
  await house.pay(house.payment({ reference: 'pay_2' }))
  expect(topUps.status()).toMatchObject({ granted: 0, trouble: 'The store is away.' })
  house.ledgerFault = undefined
  await house.pass(TRIED_AGAIN_MS)
  expect(topUps.status()).toMatchObject({ granted: 1, trouble: null })
})

/** A bus whose dead letters are on another cluster than the payments. */
function splitBus(house: House, dead: MemoryCluster): MemoryBus {
  const bus = new MemoryBus(house.cluster, house.time)
  const open = new MemoryBus(dead, house.time)
  bus.open = (plan) => open.open(plan)
  return bus
}
