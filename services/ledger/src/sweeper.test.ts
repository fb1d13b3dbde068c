import type { CrashPoint } from '@svc/contracts/crash-points'
import { accountStream } from '@svc/contracts/events/account'
import { openFunded, openLedger, request } from '@svc/testing/ledger/open-ledger'
import { sampleId } from '@svc/testing/ledger/sample'
import { describe, expect, test } from 'vitest'
import { createSweeper, type RunningRow, type SweeperPorts } from './sweeper.ts'

const deadGateway = sampleId('gw', 66)
const ownGateway = sampleId('gw', 77)

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
  const sweeper = createSweeper({
    ledger: live.ledger,
    findRunning: (limit) => rows.slice(0, limit),
    clock: time,
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
    expect(await ledger.balance(accountId)).toEqual({ settled: 1_000n, held: 50n, available: 950n })
    expect(ledger.isRunning(own.requestId)).toBe(true)
    expect(await sweeper.sweep()).toBe(0)
    expect(reached.slice(0, 3)).toEqual(['sweep.before', 'sweep.before', 'sweep.after'])
  })

  test('of two processes end each request once, at the same moment', async () => {
    const { sweeper, store, time, accountId, rows, ledger } = await openOrphaned()
    const otherGateway = sampleId('gw', 99)
    const other = await openLedger({ store, time, gatewayId: otherGateway })
    const another = createSweeper({
      ledger: other.ledger,
      findRunning: () => rows.slice(0, 2),
      clock: time,
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

    const view = createSweeper({
      ledger,
      findRunning: () => Promise.reject(new Error('the view is closed')),
      clock: time,
      timer: time,
      isGone: () => true,
      gatewayId: ownGateway,
      reach: () => {},
      onError: (error) => errors.push(error),
    })
    view.start()
    await time.advance(5_000)
    await view.stop()
    expect(errors).toHaveLength(3)
    expect(await ledger.balance(accountId)).toMatchObject({ held: 50n })
  })
})
