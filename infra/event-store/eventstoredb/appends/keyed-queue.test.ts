import {
  StoreBusyError,
  StoreClosedError,
  StoreUnavailableError,
} from '@svc/contracts/ports/event-store'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { APPENDS_AT_WORK_MAX, KeyedQueue } from './keyed-queue.ts'

const WAIT_MS = 5_000

let starved: number
let queue: KeyedQueue
beforeEach(() => {
  vi.useFakeTimers()
  starved = 0
  queue = new KeyedQueue({
    waitMs: WAIT_MS,
    onStarved: () => {
      starved += 1
    },
  })
})
afterEach(() => vi.useRealTimers())

/** Makes work that ends when the test says so. */
function openWork() {
  const { promise, resolve } = Promise.withResolvers<void>()
  let hasStarted = false
  const work = () => {
    hasStarted = true
    return promise
  }
  return { work, end: resolve, hasStarted: () => hasStarted }
}

const turn = () => vi.advanceTimersByTimeAsync(0)
const failure = (running: Promise<unknown>) => running.catch((error: unknown) => error)

describe('the queue of appends', () => {
  test('one stream: one after the other, in order', async () => {
    const order: string[] = []
    const first = openWork()
    const all = [
      queue.run('a', 1, () => first.work().then(() => order.push('first'))),
      queue.run('a', 1, async () => order.push('second')),
      queue.run('a', 1, async () => order.push('third')),
      queue.run('b', 1, async () => order.push('other stream')),
    ]
    await turn()
    expect(order).toEqual(['other stream'])
    first.end()
    await Promise.all(all)
    expect(order).toEqual(['other stream', 'first', 'second', 'third'])
    expect(queue.atWork).toBe(0)
  })

  test('a failure lets the next one through', async () => {
    const failed = failure(queue.run('a', 1, () => Promise.reject(new Error('failed'))))
    const next = queue.run('a', 1, async () => 'done')
    expect(await failed).toEqual(new Error('failed'))
    expect(await next).toBe('done')
  })

  test('no more than the bound are at work', async () => {
    const works = Array.from({ length: APPENDS_AT_WORK_MAX + 1 }, openWork)
    const all = works.map(({ work }, at) => queue.run(`${at}`, 1, work))
    await turn()
    expect(works.filter(({ hasStarted }) => hasStarted())).toHaveLength(APPENDS_AT_WORK_MAX)
    works[0]?.end()
    await turn()
    expect(works.at(-1)?.hasStarted()).toBe(true)
    for (const { end } of works) end()
    await Promise.all(all)
  })

  test('a held place stays taken, and its stream is free', async () => {
    const held = Promise.withResolvers<void>()
    const all = Array.from({ length: APPENDS_AT_WORK_MAX }, (_, at) =>
      queue.run(`${at}`, 1, async (hold) => hold(held.promise)),
    )
    await Promise.all(all)
    expect(queue.atWork).toBe(APPENDS_AT_WORK_MAX)
    const again = queue.run('0', 1, async () => 'done')
    await turn()
    held.resolve()
    expect(await again).toBe('done')
    expect(starved).toBe(0)
  })

  test('what waits too long is refused, and no one behind it is lost', async () => {
    const first = openWork()
    const running = queue.run('a', 1, first.work)
    await vi.advanceTimersByTimeAsync(1)
    const late = failure(queue.run('a', 1, async () => 'never'))
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1)
    const next = queue.run('a', 1, async () => 'done')
    await vi.advanceTimersByTimeAsync(1)
    expect(await late).toBeInstanceOf(StoreUnavailableError)
    first.end()
    await running
    expect(await next).toBe('done')
    expect(starved).toBe(0)
  })

  test('what waits too long for a place says so, and leaves its stream to the next', async () => {
    const works = Array.from({ length: APPENDS_AT_WORK_MAX }, openWork)
    const all = works.map(({ work }, at) => queue.run(`${at}`, 1, work))
    const late = failure(queue.run('a', 1, async () => 'never'))
    await vi.advanceTimersByTimeAsync(1)
    const next = queue.run('a', 1, async () => 'done')
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1)
    expect(await late).toBeInstanceOf(StoreUnavailableError)
    expect(starved).toBe(1)
    for (const { end } of works) end()
    await Promise.all(all)
    expect(await next).toBe('done')
  })

  test.each([
    ['number', 4_096, 1],
    ['size', 64, 1024 * 1024],
  ])('a flood is refused by its %s', async (_what, waiting, size) => {
    const first = openWork()
    const running = queue.run('a', 1, first.work)
    const all = Array.from({ length: waiting }, () => queue.run('a', size, async () => 'done'))
    expect(await failure(queue.run('b', size, async () => 'done'))).toBeInstanceOf(StoreBusyError)
    first.end()
    await running
    expect(new Set(await Promise.all(all))).toEqual(new Set(['done']))
    expect(await queue.run('b', size, async () => 'done')).toBe('done')
  })

  test('closing refuses what comes, and waits for what is there', async () => {
    const first = openWork()
    const running = queue.run('a', 1, first.work)
    const waiting = queue.run('a', 1, async () => 'done')
    const closed = vi.fn()
    const closing = queue.close().then(closed)
    expect(await failure(queue.run('b', 1, async () => 'done'))).toBeInstanceOf(StoreClosedError)
    expect(closed).not.toHaveBeenCalled()
    first.end()
    await closing
    await running
    expect(await waiting).toBe('done')
  })
})
