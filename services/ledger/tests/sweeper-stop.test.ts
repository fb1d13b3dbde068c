/** A sweeper that is started, and stopped in the middle of its work. */
import { sampleId } from '@svc/testing/ledger/sample'
import { ManualTime } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import type { EndedGrant } from '../src/ended-grants.ts'
import { type RunningRow, Sweeper } from '../src/sweeper.ts'

const SWEEP_EVERY_MS = 5_000
const SWEPT_TOGETHER = 64
const deadGateway = sampleId('gw', 66)

/** One more than is worked on at once. */
const indexes = Array.from({ length: SWEPT_TOGETHER + 1 }, (_, index) => index)
const orphans = indexes.map((index): RunningRow => {
  const requestId = sampleId('req', index)
  return { accountId: sampleId('acct', index), requestId, gatewayId: deadGateway, deadline: 0 }
})
const endedGrants = indexes.map((index): EndedGrant => {
  return { accountId: sampleId('acct', index), grantId: sampleId('grant', index), expiresAt: 0 }
})

/** A ledger whose work goes on only when it is let go. */
function openHeld(found: {
  readonly running?: readonly RunningRow[]
  readonly ended?: readonly EndedGrant[]
}) {
  const time = new ManualTime()
  const held = new Set<() => void>()
  const asked: string[] = []
  let looks = 0
  const work = async <Result>(id: string, result: Result): Promise<Result> => {
    asked.push(id)
    await new Promise<void>((resolve) => held.add(resolve))
    return result
  }
  const sweeper = new Sweeper({
    ledger: {
      isRunning: () => false,
      abandon: (_, requestId) => work(requestId, true),
      balance: (accountId) => work(accountId, nothing),
    },
    findRunning() {
      looks += 1
      return { rows: found.running ?? [], next: undefined }
    },
    findEndedGrants: () => ({ rows: found.ended ?? [], next: undefined }),
    clock: time,
    steadyClock: time,
    timer: time,
    longestRequestMs: 600_000,
    isGone: () => true,
    gatewayId: sampleId('gw', 77),
    reach: () => {},
  })
  const letGo = async (): Promise<void> => {
    for (const resolve of held) resolve()
    held.clear()
    await time.quiet()
  }
  return { time, sweeper, asked, letGo, looks: () => looks }
}

const nothing = {
  settled: 0n,
  held: 0n,
  available: 0n,
  expiring: { total: 0n, grants: [] },
}

test.each([
  ['requests', { running: orphans }],
  ['accounts', { ended: endedGrants }],
] as const)('a bounded number of %s is worked on at once', async (_name, found) => {
  const { time, sweeper, asked, letGo } = openHeld(found)
  sweeper.start()
  await time.quiet()
  expect(asked).toHaveLength(SWEPT_TOGETHER)
  await letGo()
  expect(new Set(asked).size).toBe(SWEPT_TOGETHER + 1)
  await letGo()
  expect(asked).toHaveLength(SWEPT_TOGETHER + 1)
})

test.each([
  ['requests', { running: orphans }],
  ['accounts', { ended: endedGrants }],
] as const)('stopped among %s, it ends with those it has begun', async (_name, found) => {
  const { time, sweeper, asked, letGo, looks } = openHeld(found)
  sweeper.start()
  await time.quiet()
  let hasStopped = false
  void sweeper.stop().then(() => {
    hasStopped = true
  })
  await time.quiet()
  expect(hasStopped).toBe(false)
  await letGo()
  expect(hasStopped).toBe(true)
  expect(asked).toHaveLength(SWEPT_TOGETHER)
  expect(time.plannedCount).toBe(0)
  sweeper.start()
  await time.advance(SWEEP_EVERY_MS)
  expect(looks()).toBe(1)
  expect(time.plannedCount).toBe(0)
})

test('stopped between two sweeps, it plans no other', async () => {
  const { time, sweeper, looks } = openHeld({})
  sweeper.start()
  await time.advance(SWEEP_EVERY_MS)
  expect(looks()).toBe(2)
  await sweeper.stop()
  expect(time.plannedCount).toBe(0)
})

test('started twice, it sweeps once', async () => {
  const { time, sweeper, letGo, looks } = openHeld({ running: orphans.slice(0, 1) })
  sweeper.start()
  await time.quiet()
  sweeper.start()
  await letGo()
  expect(looks()).toBe(1)
  expect(time.plannedCount).toBe(1)
})
