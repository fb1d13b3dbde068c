/** Damage in the streams of the service itself: prices, admin tokens, users, audit, and others. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Operations } from '@svc/contracts/admin/operations'
import { DamagedStreamError } from '@svc/contracts/ports/event-store'
import { alterFile } from '@svc/infra/event-store/compliance/alter-file'
import { createRemoteOperations } from '@svc/operator/remote/remote-operations'
import {
  type Customer,
  DamagedService,
  openCustomers,
  PREFIX,
  pay,
  type Service,
  verified,
} from '@svc/testing/damaged-service'
import type { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { expect, test } from 'vitest'

const TEST_MS_MAX = 120_000
const garbage = { type: 'PricePublished', data: 'garbage' }
const rates = { input: '2.00', cached_input: '1.00', output: '3.00' }
const price = { model: 'svc-beta', ...rates, effective_from: null, confirm: true }

/** A backup of the server is put back, and the operator says that it is the right one. */
async function fromBackup(folder: DamagedService, events: number): Promise<Service> {
  folder.double?.restoreCopy(events)
  await expect(folder.start()).rejects.toThrow('--accept-new-store')
  const restored = await folder.start(true)
  await expect.poll(() => restored.operations.listQuarantine()).toEqual([])
  return restored
}

function operationsAs({ server }: Service, secret: string | null): Operations {
  const { signal } = new AbortController()
  const { baseUrl } = server.ready
  return createRemoteOperations({ baseUrl, operatorToken: secret ?? '', signal })
}

async function evidenceOf({ server }: Service, { key }: Customer) {
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`${server.ready.baseUrl}/v1/evidence`, { headers })
  return { status: answer.status, body: await answer.text() }
}

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
    const before = double?.observed.eventsCommitted ?? 0
    if (what === 'garbage') double?.writeForeign(`${PREFIX}pricing`, garbage)
    else double?.deleteStream(`${PREFIX}pricing`, true)
    const seen = async () => (await service.operations.listQuarantine()).map(({ stream }) => stream)
    await expect.poll(seen).toEqual(['pricing'])
    await Promise.all(customers.map((customer) => pay(service, customer)))
    await expect(service.operations.publishPrice(price)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(/are damaged\. Run "svc verify".* docs\/how-to\/mend-a-/),
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
    await again.stop()

    const restored = await fromBackup(folder, before)
    await restored.operations.publishPrice(price)
    expect(await restored.operations.listPrices({})).not.toEqual(prices)
    await Promise.all(customers.map((customer) => pay(restored, customer)))
  },
  TEST_MS_MAX,
)

test(
  'a first start where no price can be published is refused, and names the stream',
  async () => {
    const folder = await DamagedService.open('eventstoredb')
    folder.double?.deleteStream(`${PREFIX}pricing`, true)
    const refused = await folder.start().catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(DamagedStreamError)
    expect(String(refused)).toContain('the stream pricing of the event store cannot be relied on')
  },
  TEST_MS_MAX,
)

test(
  'a gateway that is new where the prices are damaged sells nothing, and says why',
  async () => {
    const folder = await DamagedService.open('eventstoredb')
    const { double } = folder
    const service = await folder.start()
    const customers = await openCustomers(service, 2)
    const before = double?.observed.eventsCommitted ?? 0
    double?.deleteStream(`${PREFIX}pricing`, true)
    await service.stop()
    rmSync(folder.dataDir, { recursive: true })

    const fresh = await folder.start()
    const [customer] = customers as [Customer, ...Customer[]]
    await expect(pay(fresh, customer)).rejects.toThrow('model_not_priced')
    const said = folder.lines.join('')
    expect(said).toContain('prices are damaged and none were known here before')
    expect(said).not.toContain('svc price publish')
    await fresh.stop()

    const restored = await fromBackup(folder, before)
    await Promise.all(customers.map((each) => pay(restored, each)))
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
    const customers = await openCustomers(service, 3)
    const [customer] = customers
    const token = await service.operations.createAdminToken({
      name: 'finance',
      role: 'auditor',
      expires_at: null,
    })
    const asFinance = operationsAs(service, token.secret)
    const page = { account_id: customer?.accountId ?? '', limit: 10 }
    await asFinance.statement(page)
    const before = double?.observed.eventsCommitted ?? 0
    const streams = ['admin-tokens', 'audit', 'nobodys', 'users']
    for (const stream of streams) double?.writeForeign(PREFIX + stream, garbage)
    const seen = async () => (await service.operations.listQuarantine()).map(({ stream }) => stream)
    await expect.poll(async () => (await seen()).toSorted()).toEqual(streams)
    await expect
      .poll(() => asFinance.statement(page).catch(({ code }) => code))
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
    await expect(again.operations.listUsers({})).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await again.stop()

    const restored = await fromBackup(folder, before)
    await operationsAs(restored, token.secret).statement(page)
    expect(await restored.operations.listUsers({})).toEqual([])
    await Promise.all(customers.map((each) => pay(restored, each)))
  },
  TEST_MS_MAX,
)

test.each([
  [
    'garbage, until the backup is back',
    (double?: EventStoreDbDouble, stream = '') => double?.writeForeign(stream, garbage),
  ],
  [
    'a tombstone, until a new epoch begins',
    (double?: EventStoreDbDouble, stream = '') => double?.deleteStream(stream, true),
  ],
] as const)(
  'of checkpoints none is signed, and nothing else stops: %s',
  async (what, damage) => {
    const folder = await DamagedService.open('eventstoredb')
    const { double } = folder
    const service = await folder.start()
    const customers = await openCustomers(service, 2)
    const [customer] = customers as [Customer, ...Customer[]]
    await pay(service, customer)
    const { status, body } = await evidenceOf(service, customer)
    expect(status).toBe(200)
    const [origin] = JSON.parse(body.split('\n', 1)[0] ?? '').checkpoint.split('\n', 1)
    const before = double?.observed.eventsCommitted ?? 0
    const stream = `checkpoints-${origin}`
    damage(double, PREFIX + stream)
    const seen = async () => (await service.operations.listQuarantine()).map((one) => one.stream)
    await expect.poll(seen).toEqual([stream])
    await Promise.all(customers.map((each) => pay(service, each)))
    expect(await evidenceOf(service, customer)).toEqual({
      status: 503,
      body: expect.stringContaining('evidence_contradicted'),
    })
    const head = await fetch(`${service.server.ready.baseUrl}/evidence/checkpoint`)
    expect(head.status).toBe(503)
    await service.operations.statement({ account_id: customer.accountId, limit: 10 })
    await service.stop()

    const again = await folder.start()
    expect((await again.operations.status()).store.problems.join()).toContain(stream)
    await pay(again, customer)
    expect((await evidenceOf(again, customer)).status).toBe(503)
    await again.stop()

    const isEpoch = what.endsWith('epoch begins')
    if (isEpoch) rmSync(join(folder.dataDir, 'evidence-key.json'))
    const mended = isEpoch ? await folder.start() : await fromBackup(folder, before)
    await pay(mended, customer)
    const next = await evidenceOf(mended, customer)
    expect(next.status).toBe(200)
    expect(next.body.split('\n', 1)[0]?.includes(origin)).toBe(!isEpoch)
  },
  TEST_MS_MAX,
)
