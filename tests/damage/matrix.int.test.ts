/**
 * One damaged stream harms one account only: kinds of damage × running, restart, CLI with the
 * server open and closed, verify, rebuild × both stores.
 */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Operations } from '@svc/contracts/admin/operations'
import { accountStream } from '@svc/contracts/events/account'
import {
  askInEachFormat,
  type Books,
  balanceOf,
  booksOf,
  type Customer,
  DamagedService,
  OTHERS,
  openCustomers,
  pay,
  rebuildAll,
  type Service,
  verified,
} from '@svc/testing/damaged-service'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, test } from 'vitest'
import { type DamageKind, fileKinds, serverKinds } from './damage-kinds.ts'

const TEST_MS_MAX = 120_000

const message = expect.stringContaining('Nothing was charged.')
const damagedInEachFormat = [
  {
    path: '/v1/chat/completions',
    status: 503,
    code: 'account_damaged',
    error: expect.objectContaining({ type: 'server_error', code: 'account_damaged', message }),
  },
  {
    path: '/v1/responses',
    status: 503,
    code: 'account_damaged',
    error: expect.objectContaining({ type: 'server_error', code: 'account_damaged', message }),
  },
  {
    path: '/v1/messages',
    status: 503,
    error: expect.objectContaining({ type: 'api_error', message }),
  },
].map((row) => expect.objectContaining(row))

async function started(store: 'sqlite' | 'eventstoredb') {
  const folder = await DamagedService.open(store)
  const service = await folder.start()
  const { accountId = '', apiKey: key = '' } = service.server.ready
  const damaged: Customer = { accountId, key }
  const others = await openCustomers(service, OTHERS)
  for (let round = 0; round < 2; round += 1) {
    await Promise.all([damaged, ...others].map((customer) => pay(service, customer)))
  }
  const stream = accountStream(accountId)
  const [other] = others as [Customer, ...Customer[]]
  const books = await booksOf(service.operations, others)
  const balance = await balanceOf(service, key)
  return { folder, service, damaged, others, stream, other, books, balance }
}

/** What an operator sees, from whichever side. */
async function expectNamed(
  operations: Operations,
  stream: string,
  { cause, isOrder = false }: DamageKind,
) {
  expect(await operations.listQuarantine()).toEqual([
    expect.objectContaining({ stream, account_id: stream.replace('account-', '') }),
  ])
  const listed = await operations.listAccounts({ status: 'damaged', limit: 10 })
  expect(listed.map((each) => [accountStream(each.account_id), each.damaged])).toEqual([
    [stream, true],
  ])
  expect(await operations.sumAccounts({ status: 'damaged' })).toMatchObject({
    accounts: 1,
    damaged: 1,
  })
  expect(await operations.sumAccounts()).toMatchObject({ accounts: 1 + OTHERS, damaged: 1 })
  const { problems } = (await operations.status()).store
  expect(problems).toEqual([expect.stringContaining(stream)])
  const result = await verified(operations)
  const found = [
    ...result.broken.map((one) => ({ ...one, revision: `${one.revision}` })),
    ...result.unreadable.map((one) => ({ ...one, revision: `${one.revision}` })),
    ...result.set_aside.map(({ stream: name, order }) => ({
      stream: name,
      revision: '',
      cause: order,
    })),
  ]
  expect(found).toEqual([
    {
      stream: expect.stringContaining(stream),
      // An order is about the whole stream.
      revision: expect.stringMatching(isOrder ? /^$/ : /^\d+$/),
      cause: expect.stringMatching(cause),
    },
  ])
}

async function expectOnlyOneHarmed(
  service: Service,
  {
    others,
    damaged,
    stream,
    kind,
  }: { others: readonly Customer[]; damaged: Customer; stream: string; kind: DamageKind },
) {
  expect(await askInEachFormat(service, damaged.key)).toEqual(damagedInEachFormat)
  await Promise.all(others.map((customer) => pay(service, customer)))
  const ready = await fetch(`${service.server.ready.baseUrl}/readyz`)
  expect(await ready.json()).toEqual({
    status: 'ready',
    details: ['1 stream of the event log set aside'],
  })
  expect(await service.metrics()).toMatch(/^svc_quarantined_streams 1$/m)
  await rebuildAll(service.operations)
  await expectNamed(service.operations, stream, kind)
  const listed = await service.operations.listAccounts({ limit: 100 })
  expect(listed.map((account) => account.account_id)).toEqual(
    expect.arrayContaining(others.map(({ accountId }) => accountId)),
  )
}

/** Each of them has paid once more than in the books before. */
function expectOneMore(books: Books, before: Books) {
  for (const [index, statement] of books.statements.entries()) {
    const earlier = before.statements[index] as readonly unknown[]
    expect(statement).toHaveLength(earlier.length + 1)
    expect((statement as readonly unknown[]).slice(0, earlier.length)).toEqual(earlier)
  }
  expect(books.month).toHaveLength(OTHERS)
}

test.each(Object.entries(serverKinds))(
  'on EventStoreDB %s sets one account aside',
  async (name, kind) => {
    const { folder, service, damaged, others, stream, books, balance, other } =
      await started('eventstoredb')
    const { double } = folder
    const before = double?.observed.eventsCommitted ?? 0
    kind.damage(folder, stream, accountStream(other.accountId))
    const codes = async () =>
      (await askInEachFormat(service, damaged.key)).map(({ status }) => status)
    await expect.poll(codes).toEqual([503, 503, 503])
    expect(folder.lines.filter((line) => line.includes('set aside'))).toEqual([
      expect.stringContaining(stream),
    ])
    const whose = { others, damaged, stream, kind }
    await expectOnlyOneHarmed(service, whose)
    const running = await booksOf(service.operations, others)
    expectOneMore(running, books)
    await service.stop()

    const closed = await folder.withFolder(async (operations) => {
      await expectNamed(operations, stream, kind)
      return booksOf(operations, others)
    })
    expect(closed).toEqual(running)

    const again = await folder.start()
    await expectOnlyOneHarmed(again, whose)
    expectOneMore(await booksOf(again.operations, others), running)
    await again.stop()

    // The way back is the same for all of them, and takes its time.
    if (name !== 'a tombstone' && name !== 'an event of an unknown type') return
    double?.restoreCopy(before)
    await expect(folder.start()).rejects.toThrow('--accept-new-store')
    const restored = await folder.start(true)
    await expect.poll(() => restored.operations.listQuarantine()).toEqual([])
    expect(await balanceOf(restored, damaged.key)).toEqual(balance)
    await pay(restored, damaged)
    expect(await booksOf(restored.operations, others)).toEqual(books)
  },
  TEST_MS_MAX,
)

test.each(Object.entries(fileKinds))(
  'in a file %s sets one account aside, and the row as it was brings it back',
  async (_name, kind) => {
    const { folder, service, damaged, others, stream, books, balance, other } =
      await started('sqlite')
    const alter = () => kind.damage(folder, stream, accountStream(other.accountId))
    // Under a server that runs nobody else can write to its file.
    expect(alter).toThrow(/locked/)
    await service.stop()
    const copy = join(temporaryFolder(), 'ledger.db')
    copyFileSync(folder.ledgerFile, copy)
    alter()

    const verify = await folder.withFolder(async (operations) => {
      const found = await verified(operations)
      await expectNamed(operations, stream, kind)
      expect(await booksOf(operations, others)).toEqual(books)
      return found
    })
    expect(verify.broken.length + verify.unreadable.length).toBe(1)

    const again = await folder.start()
    const whose = { others, damaged, stream, kind }
    await expectOnlyOneHarmed(again, whose)
    expectOneMore(await booksOf(again.operations, others), books)
    await again.stop()

    copyFileSync(copy, folder.ledgerFile)
    const restored = await folder.start()
    await expect.poll(() => restored.operations.listQuarantine()).toEqual([])
    expect(await balanceOf(restored, damaged.key)).toEqual(balance)
    await pay(restored, damaged)
    expect(await booksOf(restored.operations, others)).toEqual(books)
  },
  TEST_MS_MAX,
)
