import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  firstToGiveWay,
  type Holder,
  KEPT_MS_MIN,
  sequencesByTenant,
  TURN_MS,
  TURN_MS_MAX,
} from './giving-way.ts'

const LATER = 1_000_000
const holder = (tenant: string, sinceMs = 0, weight = 1) => ({ tenant, sinceMs, weight })
const waits = (tenant: string, weight = 1) => ({ tenant, weight })
const letters = (holders: string) => [...holders].map((tenant) => holder(tenant))

describe('a tenant with more than its share', () => {
  it.each([
    ['aaaa', 'b', 'a'],
    ['aaab', 'b', 'a'],
    ['aabb', 'b', undefined],
    ['aabb', 'c', 'b'],
    ['aaabbb', 'bc', 'b'],
    ['aaaabb', 'c', 'a'],
    ['aaaa', 'a', undefined],
    ['aaaa', '', undefined],
  ])('on %s with %s waiting: %s gives way', (holders, waiting, expected) => {
    const due = firstToGiveWay(
      letters(holders),
      [...waiting].map((each) => waits(each)),
      LATER,
    )
    expect(due?.run.tenant).toBe(expected)
    if (due !== undefined) expect(due.fromMs).toBe(LATER)
  })

  it('has as many more as its weight says', () => {
    const holders = [holder('a', 0, 3), holder('a', 0, 3), holder('a', 0, 3), holder('b')]
    expect(firstToGiveWay(holders, [waits('b')], LATER)).toBeUndefined()
    expect(firstToGiveWay(holders, [waits('b', 3)], LATER)?.run.tenant).toBe('a')
  })

  it('is measured by its weight, where several have had their turns', () => {
    const holders = [holder('b'), holder('b'), holder('a', 0, 4), holder('a', 0, 4)]
    expect(firstToGiveWay(holders, [waits('c')], LATER)?.run).toBe(holders[1])
  })

  it('does not give way to itself, also when its newest request has a larger weight', () => {
    const holders = letters('aaa')
    expect(firstToGiveWay(holders, [waits('a', 4)], LATER)).toBeUndefined()
  })

  it('waits for one that has less and whose turn is over sooner', () => {
    const holders = [holder('b', 5_000), holder('b', 5_000), holder('a', 0)]
    expect(firstToGiveWay(holders, [waits('c')], 1_000)).toEqual({
      run: holders[2],
      fromMs: TURN_MS,
    })
  })

  it('gives its last run that was not given its sequence just now', () => {
    const holders = [holder('a', 0), holder('a', 10), holder('a', 900)]
    expect(firstToGiveWay(holders, [waits('b')], 1_000)).toEqual({
      run: holders[1],
      fromMs: 1_000,
    })
    const young = holders.map(({ tenant }, at) => holder(tenant, 900 + at))
    expect(firstToGiveWay(young, [waits('b')], 1_000)).toEqual({
      run: young[0],
      fromMs: 900 + KEPT_MS_MIN,
    })
  })
})

describe('where there are more tenants than sequences', () => {
  it('a run that had its turn gives way to a tenant that has none', () => {
    const holders = [holder('a', 500), holder('b', 100)]
    expect(firstToGiveWay(holders, [waits('c')], 1_000)).toEqual({
      run: holders[1],
      fromMs: 100 + TURN_MS,
    })
    expect(firstToGiveWay(holders, [waits('a')], LATER)?.run.tenant).toBeUndefined()
  })

  it('a turn is as many times longer as the weight says, up to a bound', () => {
    const [run, heavy] = [holder('a', 0, 3), holder('a', 0, 1_000)]
    expect(firstToGiveWay([run], [waits('b')], 0)).toEqual({ run, fromMs: 3 * TURN_MS })
    expect(firstToGiveWay([heavy], [waits('b')], 0)?.fromMs).toBe(TURN_MS_MAX)
  })
})

const holders = fc.array(
  fc.record({
    tenant: fc.constantFrom('a', 'b', 'c', 'd'),
    weight: fc.constant(1),
    sinceMs: fc.nat(10_000),
  }),
  { minLength: 1, maxLength: 8 },
)
const waiting = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 })

describe('whoever holds and waits', () => {
  it('a sequence that was given up is not taken back before a turn is over', () => {
    fc.assert(
      fc.property(holders, waiting, (held, tenants) => {
        const due = firstToGiveWay(
          held,
          tenants.map((each) => waits(each)),
          LATER,
        )
        if (due === undefined) return
        const rest = held.filter((each) => each !== due.run)
        const counts = sequencesByTenant(rest)
        // It goes to the tenant that has the fewest.
        const [next] = tenants.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))
        const after: Holder[] = [...rest, holder(next ?? '', LATER)]
        const back = firstToGiveWay(after, [waits(due.run.tenant)], LATER)
        if (back?.run.tenant === next) expect(back?.fromMs).toBe(LATER + TURN_MS)
      }),
    )
  })

  it('nobody holds all of several sequences for longer than a run keeps one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 8 }), fc.nat(1_000), (sequences, sinceMs) => {
        const held = Array.from({ length: sequences }, () => holder('a', sinceMs))
        const due = firstToGiveWay(held, [waits('b')], sinceMs)
        expect(due?.fromMs).toBe(sinceMs + KEPT_MS_MIN)
      }),
    )
  })
})
