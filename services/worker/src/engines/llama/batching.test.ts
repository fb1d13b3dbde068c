import { describe, expect, it } from 'vitest'
import { alternatingBatches, PRIORITY_ALONE, prioritySharedOf } from './batching.ts'

const PRIORITY_SHARED = prioritySharedOf(0)

const chunk = (length: number) => ({
  tokens: Array.from({ length }),
  logits: [],
  evaluationPriority: PRIORITY_SHARED,
})
const draw = (evaluationPriority = PRIORITY_SHARED) => ({
  tokens: [1],
  logits: [true as const],
  evaluationPriority,
})

describe('batches', () => {
  it('alternate between one chunk of one prompt and one token of every other sequence', () => {
    const strategy = alternatingBatches()
    const prompt = chunk(128)
    const items = [draw(), prompt, draw()]
    const batches = [1, 2, 3, 4].map(() => strategy({ items, size: 128 }).map(({ item }) => item))
    expect(batches.map((batch) => batch.includes(prompt))).toEqual([true, false, true, false])
    expect(batches.map((batch) => batch.length)).toEqual([1, 2, 1, 2])
  })

  it('give prompts turns among each other', () => {
    const strategy = alternatingBatches()
    const [one, two] = [chunk(128), chunk(1)]
    const first = [1, 2, 3].map(() => strategy({ items: [one, two], size: 128 })[0]?.item)
    expect(first).toEqual([one, two, one])
  })

  it('never mix a sequence that must be alone with others', () => {
    const lonely = draw(PRIORITY_ALONE)
    const batch = alternatingBatches()({ items: [draw(), lonely, draw()], size: 128 })
    expect(batch).toEqual([{ item: lonely, processAmount: 1 }])
  })

  it('have their sequences in the order of their numbers, which are computed in one go', () => {
    const items = [2, 0, 3, 1].map((sequence) => draw(prioritySharedOf(sequence)))
    const batch = alternatingBatches()({ items, size: 128 })
    expect(batch.map(({ item }) => items.indexOf(item))).toEqual([1, 3, 0, 2])
  })

  it('hold no more than fits when texts are forced into answers', () => {
    const forced = (length: number) => ({ ...draw(), tokens: Array.from({ length }) })
    const items = [draw(), forced(6), forced(3), draw(), forced(20)]
    const batch = alternatingBatches()({ items, size: 8 })
    expect(batch.map(({ item, processAmount }) => [items.indexOf(item), processAmount])).toEqual([
      [0, 1],
      [1, 6],
      [3, 1],
    ])
    expect(alternatingBatches()({ items: [forced(20)], size: 8 })[0]?.processAmount).toBe(8)
  })
})
