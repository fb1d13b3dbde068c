/** The clock of a machine is set while requests run. */
import { openFunded, openLedger, request } from '@svc/testing/ledger/open-ledger'
import { sampleId } from '@svc/testing/ledger/sample'
import { ManualTime } from '@svc/testing/manual-time'
import { describe, expect, test } from 'vitest'
import { type RunningRow, Sweeper } from '../src/sweeper.ts'

const HOUR_MS = 3_600_000
const REQUEST_MS = 600_000
const GRACE_MS = 5_000
const ownGateway = sampleId('gw', 77)
const otherGateway = sampleId('gw', 88)

/** A request of this gateway and one of another, each on a clock that can be set. */
async function openRunning() {
  const time = new ManualTime()
  const set = { here: 0, elsewhere: 0 }
  const clock = { nowMs: () => time.nowMs() + set.here }
  const clockElsewhere = { nowMs: () => time.nowMs() + set.elsewhere }
  const here = await openLedger({ time, clock, gatewayId: ownGateway })
  const { accountId, keyId } = await openFunded(here, 1_000n)
  const { store, ledger } = here
  const elsewhere = await openLedger({
    time,
    clock: clockElsewhere,
    store,
    gatewayId: otherGateway,
  })
  const rows: RunningRow[] = []
  const accept = async (at: typeof here, gatewayId: string, nowMs: number): Promise<string> => {
    const asked = request(at, keyId)
    const { requestId, durable } = await time.until(at.ledger.accept(accountId, asked))
    await time.until(durable)
    rows.push({ accountId, requestId, gatewayId, deadline: nowMs + REQUEST_MS })
    return requestId
  }
  const sweeper = new Sweeper({
    ledger,
    clock,
    steadyClock: time,
    timer: time,
    longestRequestMs: REQUEST_MS,
    findRunning: () => ({ rows, next: undefined }),
    findEndedGrants: () => ({ rows: [], next: undefined }),
    isGone: () => false,
    gatewayId: ownGateway,
    reach: () => {},
  })
  return {
    time,
    set,
    sweeper,
    ledger,
    rows,
    acceptHere: () => accept(here, ownGateway, clock.nowMs()),
    acceptElsewhere: () => accept(elsewhere, otherGateway, clockElsewhere.nowMs()),
    sweep: () => time.until(sweeper.sweep()),
  }
}

describe('a clock that is set', () => {
  test.each([24 * HOUR_MS, HOUR_MS, -HOUR_MS, -24 * HOUR_MS])(
    'by %i ms leaves what runs alone, and what has run too long ends when it would have',
    async (byMs) => {
      const { time, set, ledger, sweep, acceptHere, acceptElsewhere } = await openRunning()
      const requestId = await acceptHere()
      await acceptElsewhere()
      expect(await sweep()).toBe(0)
      set.here = byMs
      expect(ledger.isRunning(requestId)).toBe(true)
      expect(await sweep()).toBe(0)
      await time.advance(REQUEST_MS + GRACE_MS + 1)
      expect(ledger.isRunning(requestId)).toBe(false)
      expect(await sweep()).toBe(2)
    },
  )

  test.each([
    { here: HOUR_MS, elsewhere: 0 },
    { here: 0, elsewhere: -HOUR_MS },
  ])('by $here ms here and $elsewhere ms elsewhere ends nothing that comes later', async (by) => {
    const { time, set, sweep, acceptElsewhere } = await openRunning()
    // The price was published before.
    await time.advance(2 * HOUR_MS)
    expect(await sweep()).toBe(0)
    Object.assign(set, by)
    await acceptElsewhere()
    expect(await sweep()).toBe(0)
    await time.advance(REQUEST_MS + GRACE_MS)
    expect(await sweep()).toBe(0)
    await time.advance(1)
    expect(await sweep()).toBe(1)
  })

  test.each([
    ['before', 0],
    ['after', 1],
  ])('ahead elsewhere keeps no hold longer, seen %s the sweeper started', async (_when, sweeps) => {
    const { time, set, sweep, acceptElsewhere } = await openRunning()
    for (let swept = 0; swept < sweeps; swept += 1) expect(await sweep()).toBe(0)
    set.elsewhere = 24 * HOUR_MS
    await acceptElsewhere()
    expect(await sweep()).toBe(0)
    await time.advance(REQUEST_MS + GRACE_MS)
    expect(await sweep()).toBe(0)
    await time.advance(1)
    expect(await sweep()).toBe(1)
  })

  test('leaves a gateway alone that gives its requests more time than the sweeper knows', async () => {
    const { time, rows, sweep, acceptElsewhere } = await openRunning()
    expect(await sweep()).toBe(0)
    await acceptElsewhere()
    rows.push({ ...(rows.pop() as RunningRow), deadline: time.nowMs() + HOUR_MS })
    expect(await sweep()).toBe(0)
    await time.advance(HOUR_MS + GRACE_MS)
    expect(await sweep()).toBe(0)
    await time.advance(1)
    expect(await sweep()).toBe(1)
  })

  test('ends a request that was left open long before the sweeper started', async () => {
    const { time, sweep, acceptElsewhere } = await openRunning()
    await acceptElsewhere()
    await time.advance(REQUEST_MS)
    expect(await sweep()).toBe(0)
    await time.advance(GRACE_MS + 1)
    expect(await sweep()).toBe(1)
  })
})
