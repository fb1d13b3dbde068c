import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { systemTimer } from './system-timer.ts'

const DAY_MS = 86_400_000

describe('a timer', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('runs once after its delay', () => {
    const run = vi.fn()
    systemTimer.after(1_000, run)
    vi.advanceTimersByTime(999)
    expect(run).not.toHaveBeenCalled()
    vi.advanceTimersByTime(10_000)
    expect(run).toHaveBeenCalledOnce()
  })

  test('does not run when it was cancelled', () => {
    const run = vi.fn()
    systemTimer.after(1_000, run)()
    vi.advanceTimersByTime(10_000)
    expect(run).not.toHaveBeenCalled()
  })

  test('waits longer than the 25 days that the platform can', () => {
    const run = vi.fn()
    const cancelled = vi.fn()
    systemTimer.after(60 * DAY_MS, run)
    const cancel = systemTimer.after(60 * DAY_MS, cancelled)
    vi.advanceTimersByTime(59 * DAY_MS)
    expect(run).not.toHaveBeenCalled()
    cancel()
    vi.advanceTimersByTime(2 * DAY_MS)
    expect(run).toHaveBeenCalledOnce()
    expect(cancelled).not.toHaveBeenCalled()
  })
})
