/**
 * The same change is asked for at two gateways at once, with other content. Its events have the
 * same ids in both, so that the store tells the second that they are there already.
 */
import { accountStream } from '@svc/contracts/events/account'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import {
  eventsOf,
  type LedgerSetting,
  openFunded,
  openLedger,
  payment,
} from '@svc/testing/ledger/open-ledger'
import { sampleId } from '@svc/testing/ledger/sample'
import { expect, test } from 'vitest'

const REFERENCE = 'INV-42'

async function twoGateways() {
  const store = new MemoryEventStore()
  const one = await openLedger({ store })
  const { time } = one
  const two = await openLedger({ store, time, gatewayId: sampleId('gw', 2) })
  const { accountId } = await openFunded(one, 100n)
  await time.until(two.ledger.balance(accountId))
  /** What both decide before either has appended. */
  const atOnce = <Result>(ask: (setting: LedgerSetting, index: number) => Promise<Result>) =>
    time.until(Promise.allSettled([one, two].map(ask)))
  const balances = () => time.until(Promise.all([one, two].map((g) => g.ledger.balance(accountId))))
  return { store, one, two, time, accountId, atOnce, balances }
}

test('a payment of two amounts is granted once, and the other is told so', async () => {
  const { store, two, time, accountId, atOnce, balances } = await twoGateways()
  const granted = await atOnce(({ ledger }, index) =>
    ledger.administration.grant(accountId, payment(index === 0 ? 5n : 10n, REFERENCE)),
  )
  expect(granted).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'conflict' } },
  ])
  expect((await balances()).map(({ settled }) => settled)).toEqual([105n, 105n])
  // Whoever lost goes on from what is in the log.
  await time.until(two.ledger.administration.grant(accountId, payment(1n)))
  expect((await eventsOf(store, accountId)).at(-1)?.data).toMatchObject({ balanceAfter: 106n })
})

test('of two names given at once the later one counts, and neither is lost', async () => {
  const { store, accountId, atOnce } = await twoGateways()
  const names = ['Ada', 'Grace']
  const renamed = await atOnce(({ ledger }, index) =>
    ledger.administration.renameAccount(accountId, {
      name: names[index] ?? '',
      reason: 'both asked',
      actor: 'operator',
    }),
  )
  expect(renamed).toMatchObject(names.map(() => ({ status: 'fulfilled', value: true })))
  const stream = accountStream(accountId)
  const events = await store.readStream({ stream, direction: 'forwards', limit: 100 })
  expect(events.filter(({ type }) => type === 'AccountRenamed')).toHaveLength(2)
})

test('a key that is made twice under one idempotency key has one secret', async () => {
  const { one, two, time, accountId, atOnce } = await twoGateways()
  const terms = { name: 'key', expiresAt: null, idempotencyKey: 'once', actor: 'operator' }
  const made = await atOnce(({ ledger }) => ledger.administration.createKey(accountId, terms))
  const secrets = made.flatMap((each) => (each.status === 'fulfilled' ? each.value.secret : []))
  expect(secrets).toEqual([expect.any(String), null])
  for (const { ledger } of [one, two]) {
    await expect(time.until(ledger.authenticate(secrets[0] ?? ''))).resolves.toMatchObject({
      accountId,
    })
  }
})
