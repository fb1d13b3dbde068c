import { describe, expect, test } from 'vitest'
import { KeptWorkers } from './kept-workers.ts'

/** Workers, and a clock that stands still until it is moved. */
function workersOf(count: number) {
  const workers = Array.from({ length: count }, (_, index) => ({ workerId: `w${index}` }))
  const clock = { nowMs: 0 }
  const kept = new KeptWorkers(() => clock.nowMs)
  const open = (tenant: string) => kept.openTo(tenant, workers).map(({ workerId }) => workerId)
  /** As an account does that always begins on the first worker that has least of it. */
  const spread = (tenant: string, requests: number) => {
    const counts = new Map<string, number>()
    for (let request = 0; request < requests; request += 1) {
      const byCount = open(tenant).toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))
      const [workerId = ''] = byCount
      counts.set(workerId, (counts.get(workerId) ?? 0) + 1)
      kept.begin(tenant, workerId)
    }
    return counts.size
  }
  return { kept, open, spread, clock }
}

describe('workers that compute on the same processors', () => {
  test.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [8, 6],
  ])('of %i an account with much to do has %i while others come', (workers, touched) => {
    const { kept, spread } = workersOf(workers)
    kept.begin('other', 'w0')()
    expect(spread('greedy', 16)).toBe(touched)
  })

  test('are all open to an account that is alone, and to one that came first', () => {
    const { kept, open, spread, clock } = workersOf(2)
    expect(spread('alone', 16)).toBe(2)
    const later = workersOf(2)
    later.kept.begin('other', 'w0')()
    later.clock.nowMs = 60_000
    expect(later.spread('alone', 16)).toBe(2)
    kept.begin('other', 'w0')
    clock.nowMs = 1
    expect(open('other')).toEqual(['w0', 'w1'])
  })

  test('are shared by two accounts with much to do, wherever they began', () => {
    const { kept, open } = workersOf(2)
    const ends = Array.from({ length: 4 }, () => [kept.begin('a', 'w0'), kept.begin('b', 'w0')])
    expect([open('a'), open('b')]).toEqual([['w0'], ['w0']])
    // One of them has a request less for a moment: its next one goes to the idle worker.
    ends[0]?.[0]?.()
    expect([open('a'), open('b')]).toEqual([['w0', 'w1'], ['w0']])
  })

  test('are open again when the requests are over', () => {
    const { kept, open } = workersOf(2)
    kept.begin('other', 'w1')()
    const end = kept.begin('greedy', 'w0')
    expect(open('greedy')).toEqual(['w0'])
    end()
    expect(open('greedy')).toEqual(['w0', 'w1'])
  })
})
