/** Sweeps of a view with more pages than one sweep reads, many of them without a row. */
import { sampleId } from '@svc/testing/ledger/sample'
import { ManualTime } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { type RunningQuery, type RunningRow, Sweeper } from '../src/sweeper.ts'

const PAGES_PER_SWEEP = 4
const REQUEST_MS = 600_000
const GRACE_MS = 5_000
const deadGateway = sampleId('gw', 66)

/** A view whose pages are these, and a ledger that notes what it is asked to end. */
function openPages({ gone = true } = {}) {
  const time = new ManualTime()
  const pages: RunningRow[][] = []
  const asked: number[] = []
  const abandoned: string[] = []
  const failing = new Set<number>()
  const findRunning = async ({ after }: RunningQuery) => {
    const page = after === undefined ? 0 : after.deadline
    asked.push(page)
    if (failing.has(page)) throw new Error(`page ${page} cannot be read`)
    const isLast = page >= pages.length - 1
    return {
      rows: pages[page] ?? [],
      next: isLast ? undefined : { deadline: page + 1, requestId: '' },
    }
  }
  const sweeper = new Sweeper({
    ledger: {
      isRunning: () => false,
      balance: () => Promise.reject(new Error('nobody asks')),
      async abandon(_, requestId) {
        abandoned.push(requestId)
        return true
      },
    },
    findRunning,
    findEndedGrants: () => ({ rows: [], next: undefined }),
    clock: time,
    steadyClock: time,
    timer: time,
    longestRequestMs: REQUEST_MS,
    isGone: () => gone,
    gatewayId: sampleId('gw', 77),
    reach: () => {},
  })
  return { time, pages, asked, abandoned, failing, sweeper }
}

function orphan(id: string, deadline = 0): RunningRow {
  return { accountId: sampleId('acct', 1), requestId: id, gatewayId: deadGateway, deadline }
}

test('an orphan behind pages of rows that are left alone is ended', async () => {
  const { pages, asked, abandoned, sweeper } = openPages()
  pages.push([], [], [orphan('behind')])
  expect(await sweeper.sweep()).toBe(1)
  expect(abandoned).toEqual(['behind'])
  expect(asked).toEqual([0, 1, 2])
})

test('one sweep reads a few pages, the next goes on behind them, and then the first again', async () => {
  const { pages, asked, abandoned, sweeper } = openPages()
  pages.push([orphan('first')], ...Array.from({ length: 8 }, () => []), [orphan('last')])
  await sweeper.sweep()
  expect(asked.splice(0)).toEqual([0, 1, 2, 3])
  await sweeper.sweep()
  expect(asked.splice(0)).toEqual([4, 5, 6, 7])
  await sweeper.sweep()
  expect(asked.splice(0)).toEqual([8, 9])
  expect(abandoned).toEqual(['first', 'last'])
  await sweeper.sweep()
  expect(asked).toEqual([0, 1, 2, 3])
})

test('a page that cannot be read is asked for again, and those before it were swept', async () => {
  const { pages, asked, abandoned, failing, sweeper } = openPages()
  pages.push([orphan('first')], [orphan('second')])
  failing.add(1)
  await expect(sweeper.sweep()).rejects.toThrow('page 1 cannot be read')
  expect(abandoned).toEqual(['first'])
  failing.clear()
  await sweeper.sweep()
  expect(asked).toEqual([0, 1, 1])
  expect(abandoned).toEqual(['first', 'second'])
})

test('a round ends where it has found as much as is remembered of one', async () => {
  const { pages, asked, sweeper } = openPages()
  const full = Array.from({ length: 10_000 }, (_, at) => orphan(`${at}`))
  pages.push([], full, [orphan('later')])
  await sweeper.sweep()
  await sweeper.sweep()
  expect(asked).toEqual([0, 1, 0, 1])
})

test('how long a request was seen is remembered from round to round', async () => {
  const { time, pages, abandoned, sweeper } = openPages({ gone: false })
  const empty = Array.from({ length: PAGES_PER_SWEEP }, () => [])
  pages.push(...empty, [orphan('of a living gateway?')])
  const sweepRound = async () => (await sweeper.sweep()) + (await sweeper.sweep())
  expect(await sweepRound()).toBe(0)
  await time.advance(REQUEST_MS / 2)
  expect(await sweepRound()).toBe(0)
  await time.advance(REQUEST_MS / 2 + GRACE_MS)
  expect(await sweepRound()).toBe(0)
  await time.advance(1)
  expect(await sweepRound()).toBe(1)
  expect(abandoned).toEqual(['of a living gateway?'])
})

test('all pages of the first sweep count as seen by it', async () => {
  const { time, pages, sweeper } = openPages({ gone: false })
  pages.push([], [orphan('left open long ago', time.nowMs())])
  expect(await sweeper.sweep()).toBe(0)
  await time.advance(GRACE_MS + 1)
  expect(await sweeper.sweep()).toBe(1)
})

test('a request that a whole round did not see has its time anew', async () => {
  const { time, pages, sweeper } = openPages({ gone: false })
  const late = orphan('left open long ago', time.nowMs())
  pages.push([late])
  expect(await sweeper.sweep()).toBe(0)
  await time.advance(GRACE_MS + 1)
  pages[0] = []
  expect(await sweeper.sweep()).toBe(0)
  pages[0] = [late]
  expect(await sweeper.sweep()).toBe(0)
  await time.advance(REQUEST_MS + GRACE_MS + 1)
  expect(await sweeper.sweep()).toBe(1)
})
