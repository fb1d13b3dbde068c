import type { ProjectionStatus } from '@svc/projections/projection-status'
import { describe, expect, test } from 'vitest'
import { LedgerHealth, type LedgerHealthBounds } from './ledger-health.ts'

const live: ProjectionStatus = {
  name: 'accounts',
  version: 1,
  position: 10n,
  head: 10n,
  state: 'live',
  error: null,
}

class Probe {
  nowMs = 1_000_000
  looks = 0
  views: readonly ProjectionStatus[] | Error = [live]
  readonly told: (readonly string[])[] = []
  readonly health: LedgerHealth

  constructor(bounds: Partial<LedgerHealthBounds> = {}) {
    this.health = new LedgerHealth({
      status: async () => {
        this.looks += 1
        if (this.views instanceof Error) throw this.views
        return this.views
      },
      clock: { nowMs: () => this.nowMs },
      bounds: { storeAnswerMs: 50, viewLagMs: 30_000, ...bounds },
      onChange: (details) => this.told.push(details),
    })
  }

  after(milliseconds: number, views: readonly ProjectionStatus[] | Error) {
    this.nowMs += milliseconds
    this.views = views
    return this.health.problems()
  }
}

describe('the health of the ledger', () => {
  test('is well while the views follow the log, however fast it grows', async () => {
    const probe = new Probe()
    for (let head = 10n; head < 5_000n; head += 50n) {
      const views = [{ ...live, head, position: head - 7n }]
      expect(await probe.after(10_000, views)).toEqual([])
    }
    expect(probe.told).toEqual([])
  })

  test('a view that is behind for too long makes it unwell, until it has caught up', async () => {
    const probe = new Probe()
    const stuck = { ...live, head: 500n, state: 'catching-up' } as const
    expect(await probe.after(0, [stuck])).toEqual([])
    expect(await probe.after(29_000, [stuck])).toEqual([])
    const problem = ['a view of the ledger is behind']
    expect(await probe.after(2_000, [{ ...stuck, position: 499n, head: 900n }])).toEqual(problem)
    expect(await probe.after(2_000, [{ ...stuck, position: 501n, head: 902n }])).toEqual([])
    expect(probe.told).toHaveLength(2)
    expect(probe.told[0]?.[0]).toContain('view accounts is at 499 of 900')
    expect(probe.told[1]).toEqual([])
  })

  test('a broken view makes it unwell at once; why is for the operator alone', async () => {
    const probe = new Probe()
    const failed = { ...live, state: 'failed', error: 'event X at position 7 (account-y)' } as const
    expect(await probe.after(0, [live, failed])).toEqual(['a view of the ledger is broken'])
    expect(probe.told).toEqual([['view accounts: event X at position 7 (account-y)']])
  })

  test('a log that is away, or silent, makes it unwell', async () => {
    const probe = new Probe()
    const problem = ['the event log does not answer']
    expect(await probe.after(0, new Error('ECONNREFUSED 10.0.0.7:2113'))).toEqual(problem)
    expect(await probe.after(1_000, [live])).toEqual([])
    const silent = new LedgerHealth({
      status: () => new Promise(() => {}),
      clock: { nowMs: () => 0 },
      bounds: { storeAnswerMs: 5, viewLagMs: 1 },
      onChange: () => {},
    })
    expect(await silent.problems()).toEqual(problem)
  })

  test('views do not count when the operator says so; the log does', async () => {
    const probe = new Probe({ viewLagMs: 0 })
    expect(await probe.after(0, [{ ...live, state: 'failed', error: 'x' }])).toEqual([])
    expect(await probe.after(2_000, new Error('away'))).toHaveLength(1)
  })

  test('is looked at once a second, whoever asks how often', async () => {
    const probe = new Probe()
    await Promise.all(Array.from({ length: 100 }, () => probe.health.problems()))
    expect(probe.looks).toBe(1)
    await probe.after(1_000, [live])
    expect(probe.looks).toBe(2)
  })
})
