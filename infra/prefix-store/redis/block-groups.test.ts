import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { groupsOf } from './block-groups.ts'

describe('groups of blocks', () => {
  test('hold all blocks in their order, and no more bytes than they may', () => {
    const blocks = fc.array(fc.record({ size: fc.nat({ max: 120 }) }), { maxLength: 300 })
    fc.assert(
      fc.property(blocks, (all) => {
        const groups = groupsOf(all, 100)
        expect(groups.flat()).toEqual(all)
        for (const group of groups) {
          const bytes = group.reduce((sum, { size }) => sum + size, 0)
          expect(bytes <= 100 || group.length === 1).toBe(true)
          expect(group.length).toBeGreaterThan(0)
          expect(group.length).toBeLessThanOrEqual(64)
        }
      }),
    )
  })

  test('are as large as they may be', () => {
    const sizes = [40, 60, 1, 100, 101, 1].map((size) => ({ size }))
    expect(groupsOf(sizes, 100).map((group) => group.length)).toEqual([2, 1, 1, 1, 1])
  })
})
