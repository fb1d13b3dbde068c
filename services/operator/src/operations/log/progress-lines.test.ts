import { performance } from 'node:perf_hooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { progressLines, progressTurns } from './progress-lines.ts'

const EVERY_MS = 100

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] })
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now())
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

interface Report {
  readonly done: number
}

/** Reports `count` times, once each `everyMs`, and ends. @returns what a reader is given */
async function read(count: number, everyMs: number): Promise<readonly object[]> {
  const given = progressLines<Report, { readonly type: 'result' }>(async (report) => {
    for (let done = 1; done <= count; done += 1) {
      await after(everyMs)
      report({ done })
    }
    return { type: 'result' }
  })
  const lines: object[] = []
  const reading = (async () => {
    for await (const line of given) lines.push(line)
  })()
  await vi.advanceTimersByTimeAsync(count * everyMs)
  await reading
  return lines
}

test('a thousand reports in a second are some ten lines, in order, and one result', async () => {
  const lines = await read(1_000, 1)
  expect(lines.at(-1)).toEqual({ type: 'result' })
  const done = lines.slice(0, -1).map((line) => (line as Report).done)
  expect(done.length).toBeGreaterThan(5)
  expect(done.length).toBeLessThanOrEqual(1_000 / EVERY_MS + 1)
  for (const [index, next] of done.slice(1).entries()) {
    expect(next - (done[index] ?? 0)).toBeGreaterThanOrEqual(EVERY_MS)
  }
})

test('reports that are rare are lines, every one', async () => {
  const rare = [1, 2, 3].map((done) => ({ done }))
  expect(await read(3, 2 * EVERY_MS)).toEqual([...rare, { type: 'result' }])
})

test('a reader that leaves ends the work, and waits until it has ended', async () => {
  let ended = false
  const given = progressLines<Report, Report>(async (report, signal) => {
    report({ done: 1 })
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await after(1)
    ended = true
    throw signal.reason
  })
  expect(await given.next()).toMatchObject({ value: { done: 1 } })
  const left = given.return({ done: 0 })
  await vi.advanceTimersByTimeAsync(1)
  await left
  expect(ended).toBe(true)
})

test('whoever asks before each line may write one in each tenth of a second', async () => {
  const mayWrite = progressTurns()
  let written = 0
  for (let ms = 0; ms < 1_000; ms += 1) {
    if (mayWrite()) written += 1
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(written).toBe(1_000 / EVERY_MS)
})
