import { describe, expect, it } from 'vitest'
import { CostModel } from './cost-model.ts'

const MIB = 1024 * 1024

describe('fetching', () => {
  it('is worth it for a slow model, and not for a fast one', () => {
    const [slow, fast] = [new CostModel(0.3), new CostModel(1_000)]
    expect(slow.isWorthFetching(3 * MIB, 128)).toBe(true)
    expect(fast.isWorthFetching(3 * MIB, 128)).toBe(false)
  })

  it('is not worth it over a network that turned out slow, until it is tried again', () => {
    const cost = new CostModel(5)
    expect(cost.isWorthFetching(MIB, 1_280)).toBe(true)
    for (let time = 0; time < 30; time += 1) cost.fetched(MIB, 10_000)
    const answers = Array.from({ length: 40 }, () => cost.isWorthFetching(MIB, 1_280))
    expect(answers.slice(0, 32)).not.toContain(true)
    expect(answers[32]).toBe(true)
    for (let time = 0; time < 30; time += 1) cost.fetched(MIB, 10)
    expect(cost.isWorthFetching(MIB, 1_280)).toBe(true)
  })

  it('is given up after half the time that computing takes', () => {
    const cost = new CostModel(1)
    expect(cost.fetchDeadlineMs(1_000)).toBe(500)
    for (let time = 0; time < 50; time += 1) cost.computed(128, 1_280)
    expect(cost.fetchDeadlineMs(1_000)).toBeGreaterThan(4_000)
    expect(cost.fetchDeadlineMs(1)).toBe(20)
  })
})
