import type { CrashPoint } from '@svc/contracts/crash-points'
import { accountStream } from '@svc/contracts/events/account'
import {
  ending,
  eventsOf,
  openFunded,
  openLedger,
  payment,
  request,
} from '@svc/testing/ledger/open-ledger'
import { sampleId } from '@svc/testing/ledger/sample'
import { describe, expect, test } from 'vitest'
import type { EndedGrant } from './ended-grants.ts'
import { type RunningRow, Sweeper, type SweeperPorts } from './sweeper.ts'

const deadGateway = sampleId('gw', 66)
const ownGateway = sampleId('gw', 77)
const lastPage = (rows: readonly RunningRow[]) => ({ rows, next: undefined })
const noGrants = () => ({ rows: [], next: undefined })

/** Two requests that a dead gateway left, and one that this gateway runs. */
async function openOrphaned(ports: Partial<SweeperPorts> = {}) {
  const dead = await openLedger({ gatewayId: deadGateway })
  const { accountId, keyId } = await openFunded(dead, 1_000n)
  const { store, time } = dead
  const live = await openLedger({ store, time, gatewayId: ownGateway })
  const rows: RunningRow[] = []
  const accept = async (setting: typeof dead, gatewayId: string): Promise<RunningRow> => {
    const asked = request(setting, keyId)
    const { requestId, deadline, durable } = await setting.ledger.accept(accountId, asked)
    await durable
    rows.push({ accountId, requestId, gatewayId, deadline })
    return { accountId, requestId, gatewayId, deadline }
  }
  const orphans = [await accept(dead, deadGateway), await accept(dead, deadGateway)]
  const own = await accept(live, ownGateway)
  const reached: CrashPoint[] = []
  const sweeper = new Sweeper({
    ledger: live.ledger,
    findRunning: ({ limit }) => lastPage(rows.slice(0, limit)),
    findEndedGrants: noGrants,
    clock: time,
    steadyClock: time,
    longestRequestMs: 600_000,
    timer: time,
    isGone: () => true,
    gatewayId: ownGateway,
    reach: (point) => reached.push(point),
    ...ports,
  })
  return { ...live, accountId, orphans, own, rows, sweeper, reached }
}

describe('the sweeper', () => {
  test('pitfall 4: ends what a dead gateway left; swept twice, nothing changes', async () => {
    const { ledger, accountId, own, sweeper, reached } = await openOrphaned()
    expect(await sweeper.sweep()).toBe(2)
    expect(await ledger.balance(accountId)).toMatchObject({
      settled: 1_000n,
      held: 50n,
      available: 950n,
    })
    expect(ledger.isRunning(own.requestId)).toBe(true)
    expect(await sweeper.sweep()).toBe(0)
    expect(reached.slice(0, 3)).toEqual(['sweep.before', 'sweep.before', 'sweep.after'])
  })

  test('of two processes end each request once, at the same moment', async () => {
    const { sweeper, store, time, accountId, rows, ledger } = await openOrphaned()
    const otherGateway = sampleId('gw', 99)
    const other = await openLedger({ store, time, gatewayId: otherGateway })
    const another = new Sweeper({
      ledger: other.ledger,
      findRunning: () => lastPage(rows.slice(0, 2)),
      findEndedGrants: noGrants,
      clock: time,
      steadyClock: time,
      longestRequestMs: 600_000,
      timer: time,
      isGone: () => true,
      gatewayId: otherGateway,
      reach: () => {},
    })
    const sweeps = Promise.all([sweeper.sweep(), another.sweep()])
    await time.advance(1_000)
    const [ended, endedByOther] = await sweeps
    expect(ended + endedByOther).toBe(2)
    const stream = accountStream(accountId)
    const events = await store.readStream({ stream, direction: 'forwards', limit: 100 })
    expect(events.filter(({ type }) => type === 'RequestAbandoned')).toHaveLength(2)
    expect(await ledger.balance(accountId)).toMatchObject({ settled: 1_000n, held: 50n })
  })

  test('with a shared store, waits for the deadline of another gateway', async () => {
    const { sweeper, time, own, ledger } = await openOrphaned({ isGone: () => false })
    expect(await sweeper.sweep()).toBe(0)
    await time.advance(605_000)
    expect(await sweeper.sweep()).toBe(0)
    await time.advance(1)
    // Its own request is past its deadline too: whoever ran it has given it up.
    expect(ledger.isRunning(own.requestId)).toBe(false)
    expect(await sweeper.sweep()).toBe(3)
  })

  test('with a shared store, ends at once what a gateway left that is known to be gone', async () => {
    const { sweeper, ledger, rows, orphans } = await openOrphaned({
      isGone: (gatewayId) => gatewayId === deadGateway,
    })
    const [first, second, own] = rows.splice(0) as [RunningRow, RunningRow, RunningRow]
    rows.push(first, { ...second, gatewayId: sampleId('gw', 88) }, own)
    expect(await sweeper.sweep()).toBe(1)
    expect(await ledger.abandon(first.accountId, first.requestId, 'again')).toBe(false)
    expect(await ledger.abandon(second.accountId, second.requestId, 'still open')).toBe(true)
    expect(orphans).toHaveLength(2)
  })

  test('ends a request of its own that it does not run', async () => {
    const { sweeper, rows, orphans } = await openOrphaned({ isGone: () => false })
    rows.splice(0, 2, ...orphans.map((row) => ({ ...row, gatewayId: ownGateway })))
    expect(await sweeper.sweep()).toBe(2)
  })

  test('sweeps on start and every few seconds, until it is stopped', async () => {
    const { sweeper, time, ledger, accountId, rows, orphans } = await openOrphaned()
    const [first, second, own] = rows.splice(0) as [RunningRow, RunningRow, RunningRow]
    rows.push(first)
    sweeper.start()
    await time.quiet()
    expect(await ledger.balance(accountId)).toMatchObject({ held: 100n })
    rows.push(second, own)
    await time.advance(5_000)
    expect(await ledger.balance(accountId)).toMatchObject({ held: 50n })
    await sweeper.stop()
    expect(orphans).toHaveLength(2)
  })

  test('goes on when one account, or the view, fails', async () => {
    const errors: unknown[] = []
    const { sweeper, rows, time, ledger, accountId } = await openOrphaned({
      onError: (error) => errors.push(error),
    })
    rows.unshift({
      accountId: sampleId('acct', 404),
      requestId: sampleId('req', 404),
      gatewayId: deadGateway,
      deadline: 0,
    })
    expect(await sweeper.sweep()).toBe(2)
    expect(errors).toMatchObject([{ code: 'not_found' }])

    const view = new Sweeper({
      ledger,
      findRunning: () => Promise.reject(new Error('the view is closed')),
      findEndedGrants: () => Promise.reject(new Error('the view is closed')),
      clock: time,
      steadyClock: time,
      longestRequestMs: 600_000,
      timer: time,
      isGone: () => true,
      gatewayId: ownGateway,
      reach: () => {},
      onError: (error) => errors.push(error),
    })
    view.start()
    await time.advance(5_000)
    await view.stop()
    expect(errors).toHaveLength(5)
    expect(await ledger.balance(accountId)).toMatchObject({ held: 50n })
  })
})

/** Two accounts with $0 for ever, and 100 that end a second from now. */
async function openSleeping() {
  const setting = await openLedger()
  const { ledger, store, time } = setting
  const expiresAt = time.nowMs() + 1_000
  const rows: EndedGrant[] = []
  const openAccount = async () => {
    const { accountId, keyId } = await openFunded(setting, 0n)
    const { grantId } = await ledger.administration.grant(accountId, {
      ...payment(100n),
      expiresAt,
    })
    rows.push({ accountId, grantId, expiresAt })
    return { accountId, keyId }
  }
  const [ada, bob] = [await openAccount(), await openAccount()]
  const sweeperOf = (ledgerOfSweeper: typeof ledger, ports: Partial<SweeperPorts> = {}) =>
    new Sweeper({
      ledger: ledgerOfSweeper,
      findRunning: () => lastPage([]),
      findEndedGrants: ({ endsBefore }) => ({
        rows: rows.filter((row) => (row.expiresAt ?? 0) < endsBefore),
        next: undefined,
      }),
      clock: time,
      steadyClock: time,
      longestRequestMs: 600_000,
      timer: time,
      isGone: () => false,
      gatewayId: ownGateway,
      reach: () => {},
      ...ports,
    })
  const expiriesOf = async (accountId: string) =>
    (await eventsOf(store, accountId)).flatMap(({ type, data }) =>
      type === 'CreditExpired' ? [data] : [],
    )
  return { ...setting, rows, ada, bob, expiresAt, sweeperOf, expiriesOf }
}

describe('credit whose time is over, of accounts that sleep,', () => {
  test('is booked within one interval, at the time of the booking', async () => {
    const { ledger, time, ada, bob, expiresAt, sweeperOf, expiriesOf } = await openSleeping()
    const sweeper = sweeperOf(ledger)
    sweeper.start()
    await time.advance(999)
    expect(await expiriesOf(ada.accountId)).toEqual([])
    await time.advance(4_001)
    await sweeper.stop()
    for (const { accountId } of [ada, bob]) {
      expect(await expiriesOf(accountId)).toMatchObject([
        { amount: 100n, balanceAfter: 0n, at: expiresAt + 4_000 },
      ])
    }
  })

  test('is booked once by two servers at the same moment', async () => {
    const { ledger, store, time, ada, sweeperOf, expiriesOf } = await openSleeping()
    const other = await openLedger({ store, time, gatewayId: sampleId('gw', 99) })
    await time.advance(1_000)
    const sweeps = Promise.all([sweeperOf(ledger).sweep(), sweeperOf(other.ledger).sweep()])
    await time.advance(1_000)
    await sweeps
    expect(await expiriesOf(ada.accountId)).toHaveLength(1)
  })

  test('is left as far as a request holds it, until that has ended', async () => {
    const setting = await openSleeping()
    const { ledger, time, ada, sweeperOf, expiriesOf } = setting
    const asked = request(setting, ada.keyId)
    const { durable, requestId } = await ledger.accept(ada.accountId, asked)
    await durable
    const looks: string[] = []
    const sweeper = sweeperOf({
      ...ledger,
      isRunning: ledger.isRunning.bind(ledger),
      balance(accountId) {
        looks.push(accountId)
        return ledger.balance(accountId)
      },
    })
    sweeper.start()
    await time.advance(15_000)
    expect(await expiriesOf(ada.accountId)).toMatchObject([{ amount: 50n }])
    expect(looks.filter((accountId) => accountId === ada.accountId)).toHaveLength(3)
    await ledger.settle(ada.accountId, ending(requestId, { inputTokens: 10, outputTokens: 0 }))
    await time.advance(5_000)
    await sweeper.stop()
    expect(await expiriesOf(ada.accountId)).toMatchObject([{ amount: 50n }, { amount: 30n }])
  })

  test('is no news where the view is behind, or shows too much', async () => {
    const { ledger, store, time, rows, ada, bob, expiresAt, sweeperOf } = await openSleeping()
    const [voided, early] = rows.splice(0) as [EndedGrant, EndedGrant]
    const change = { reason: 'a mistake', reference: null, actor: 'operator' }
    await ledger.administration.voidGrant(ada.accountId, { grantId: voided.grantId, ...change })
    rows.push(voided, { ...early, expiresAt: time.nowMs() })
    const before = await store.lastPosition()
    await sweeperOf(ledger).sweep()
    expect(time.nowMs()).toBeLessThan(expiresAt)
    await time.advance(1_000)
    await sweeperOf(ledger, { findEndedGrants: noGrants }).sweep()
    expect(await store.lastPosition()).toBe(before)
    await sweeperOf(ledger).sweep()
    expect(await eventsOf(store, ada.accountId)).not.toContainEqual(
      expect.objectContaining({ type: 'CreditExpired' }),
    )
    expect((await eventsOf(store, bob.accountId)).at(-1)?.type).toBe('CreditExpired')
  })

  test('is booked also when another account cannot be, and when no request can be found', async () => {
    const { ledger, time, rows, ada, sweeperOf, expiriesOf } = await openSleeping()
    const errors: unknown[] = []
    rows.unshift({ ...(rows[0] as EndedGrant), accountId: sampleId('acct', 404) })
    await time.advance(1_000)
    const sweeper = sweeperOf(ledger, {
      findRunning: () => Promise.reject(new Error('the view is closed')),
      onError: (error, work) => errors.push([work, error]),
    })
    sweeper.start()
    await time.quiet()
    await sweeper.stop()
    expect(errors).toMatchObject([
      ['expiry', { code: 'not_found' }],
      ['orphans', {}],
    ])
    expect(await expiriesOf(ada.accountId)).toHaveLength(1)
  })
})
