import { StoreClosedError, StoreUnavailableError } from '@svc/contracts/ports/event-store'
import { ManualTime } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { RetryingReads } from './retrying-reads.ts'

/** A log behind a server that is away until told otherwise; it notes when it was asked. */
function logOfServer(error: Error) {
  const time = new ManualTime()
  const fromMs = time.nowMs()
  const askedAtMs: number[] = []
  const warnings: string[] = []
  const closing = new AbortController()
  const server = { isAway: true }
  const reads = {
    async lastPosition() {
      askedAtMs.push(time.nowMs() - fromMs)
      if (server.isAway) throw error
      return 7n
    },
    readAll: async () => [],
  }
  const warn = (_: unknown, message: string) => void warnings.push(message)
  const retrying = new RetryingReads(reads, closing.signal, time, warn)
  return { time, server, askedAtMs, warnings, closing, retrying }
}

const AWAY = new StoreUnavailableError('away')

test('an outage is waited for, longer each time up to five seconds, with one warning', async () => {
  const { time, server, askedAtMs, warnings, retrying } = logOfServer(AWAY)
  const read = retrying.lastPosition()
  await time.advance(16_300)
  expect(askedAtMs).toEqual([0, 100, 300, 700, 1_500, 3_100, 6_300, 11_300, 16_300])
  server.isAway = false
  expect(await time.until(read)).toBe(7n)
  expect(warnings).toEqual(['failed to read the event log, retrying'])
})

test('what is no outage is told at once', async () => {
  const { askedAtMs, warnings, retrying } = logOfServer(new Error('the log is broken'))
  await expect(retrying.lastPosition()).rejects.toThrow('the log is broken')
  expect([askedAtMs, warnings]).toEqual([[0], []])
})

test('the end of the reader ends the wait', async () => {
  const { time, closing, askedAtMs, retrying } = logOfServer(AWAY)
  const read = retrying.lastPosition()
  await time.quiet()
  closing.abort()
  await expect(read).rejects.toThrow(StoreClosedError)
  expect(askedAtMs).toEqual([0])
  await expect(retrying.lastPosition()).rejects.toThrow(StoreClosedError)
})
