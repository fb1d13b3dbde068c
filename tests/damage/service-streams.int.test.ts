/** Damage in the streams of the service itself: prices, admin tokens, users, audit, and others. */
import { alterFile } from '@svc/infra/event-store/compliance/alter-file'
import { createRemoteOperations } from '@svc/operator/remote/remote-operations'
import { DamagedService, openCustomers, PREFIX, pay, verified } from '@svc/testing/damaged-service'
import { expect, test } from 'vitest'

const TEST_MS_MAX = 120_000
const SEEN_WITHIN = { timeout: 20_000, interval: 100 }
const garbage = { type: 'PricePublished', data: 'garbage' }
const rates = { input: '2.00', cached_input: '1.00', output: '3.00' }
const price = { model: 'svc-beta', ...rates, effective_from: null, confirm: true }

test.each([
  ['garbage', /its metadata name no schema version|data are no JSON/],
  ['a tombstone', /it was deleted for ever/],
])(
  'on EventStoreDB %s in the prices stops no sale, over a restart too',
  async (what, cause) => {
    const folder = await DamagedService.open('eventstoredb')
    const { double } = folder
    const service = await folder.start()
    const customers = await openCustomers(service, 3)
    const prices = await service.operations.listPrices({})
    if (what === 'garbage') double?.writeForeign(`${PREFIX}pricing`, garbage)
    else double?.deleteStream(`${PREFIX}pricing`, true)
    const seen = async () => (await service.operations.listQuarantine()).map(({ stream }) => stream)
    await expect.poll(seen, SEEN_WITHIN).toEqual(['pricing'])
    await Promise.all(customers.map((customer) => pay(service, customer)))
    await expect(service.operations.publishPrice(price)).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await service.stop()

    await folder.withFolder(async (operations) => {
      const result = await verified(operations)
      const named = [
        ...result.broken,
        ...result.set_aside.map(({ order }) => ({ stream: 'pricing', cause: order })),
      ]
      expect(named).toEqual([
        expect.objectContaining({ stream: 'pricing', cause: expect.stringMatching(cause) }),
      ])
      expect(await operations.listPrices({})).toEqual(prices)
    })
    const again = await folder.start()
    await Promise.all(customers.map((customer) => pay(again, customer)))
    expect((await again.operations.status()).store.problems.join()).toContain('pricing')
    expect(folder.lines.join('')).toContain('pricing')
  },
  TEST_MS_MAX,
)

test(
  'in a file an altered price is not sold at: the last known list goes on',
  async () => {
    const folder = await DamagedService.open('sqlite')
    const service = await folder.start()
    const [customer] = await openCustomers(service, 1)
    await service.operations.publishPrice(price)
    const known = await service.operations.listPrices({})
    await service.stop()
    alterFile(
      folder.ledgerFile,
      `UPDATE event SET data = replace(data, '"input":"', '"input":"1')
      WHERE type = 'PricePublished' AND revision = 0`,
    )

    const again = await folder.start()
    expect(await again.operations.listPrices({})).toEqual(known)
    if (customer !== undefined) await pay(again, customer)
    expect(await again.operations.listQuarantine()).toEqual([
      expect.objectContaining({ stream: 'pricing', account_id: null, revision: 0 }),
    ])
  },
  TEST_MS_MAX,
)

test(
  'tokens, users and audit that are damaged are not believed, and nothing else stops',
  async () => {
    const folder = await DamagedService.open('eventstoredb')
    const { double } = folder
    const service = await folder.start()
    const { baseUrl } = service.server.ready
    const customers = await openCustomers(service, 3)
    const [customer] = customers
    const token = await service.operations.createAdminToken({
      name: 'finance',
      role: 'auditor',
      expires_at: null,
    })
    const asFinance = createRemoteOperations({
      baseUrl,
      operatorToken: token.secret ?? '',
      signal: new AbortController().signal,
    })
    const page = { account_id: customer?.accountId ?? '', limit: 10 }
    await asFinance.statement(page)
    const streams = ['admin-tokens', 'audit', 'nobodys', 'users']
    for (const stream of streams) double?.writeForeign(PREFIX + stream, garbage)
    const seen = async () => (await service.operations.listQuarantine()).map(({ stream }) => stream)
    await expect.poll(async () => (await seen()).toSorted(), SEEN_WITHIN).toEqual(streams)
    await expect
      .poll(() => asFinance.statement(page).catch(({ code }) => code), SEEN_WITHIN)
      .toBe('store_unavailable')
    await service.operations.statement(page)
    await Promise.all(customers.map((each) => pay(service, each)))
    await service.stop()

    const again = await folder.start()
    await Promise.all(customers.map((each) => pay(again, each)))
    await again.operations.statement(page)
    expect(
      (await again.operations.listQuarantine()).map(({ stream }) => stream).toSorted(),
    ).toEqual(streams)
  },
  TEST_MS_MAX,
)
