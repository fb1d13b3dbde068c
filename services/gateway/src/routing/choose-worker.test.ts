import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BALANCE_RATIO, BALANCE_RUNS, type Candidate, chooseWorker } from './choose-worker.ts'

interface Named extends Candidate {
  readonly name: string
}

function worker(name: string, known: Partial<Candidate> = {}): Named {
  return { name, load: 0, blocks: 0, lastPicked: 0, ...known }
}

const chosen = (...candidates: readonly Named[]) => chooseWorker(candidates)?.name

describe('when nobody holds anything of the prompt', () => {
  test('the least loaded worker is chosen', () => {
    expect(chosen(worker('busy', { load: 3 }), worker('free', { load: 1 }))).toBe('free')
  })

  test('equal workers take turns', () => {
    const turns = { a: 0, b: 0, c: 0 }
    const names = ['a', 'b', 'c'] as const
    const order = Array.from({ length: 6 }, (_, index) => {
      const next = chooseWorker(names.map((name) => worker(name, { lastPicked: turns[name] })))
      turns[next?.name as keyof typeof turns] = index + 1
      return next?.name
    })
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
  })

  test('without workers there is none', () => {
    expect(chosen()).toBeUndefined()
  })
})

describe('when workers hold the beginning of the prompt', () => {
  test('the one that holds most of it is chosen, although others are free', () => {
    const less = worker('less', { blocks: 2 })
    const most = worker('most', { blocks: 9, load: BALANCE_RUNS })
    expect(chosen(worker('free'), less, most)).toBe('most')
  })

  test('of two that hold as much, the less loaded one', () => {
    const busy = worker('busy', { blocks: 4, load: 2 })
    expect(chosen(busy, worker('calm', { blocks: 4, load: 1 }))).toBe('calm')
  })

  test('one that has more to do than the balance allows is left alone', () => {
    const holder = worker('holder', { blocks: 9, load: BALANCE_RUNS + 1 })
    expect(chosen(holder, worker('free'))).toBe('free')
  })

  test('then, of the least loaded, one that holds something', () => {
    const holder = worker('holder', { blocks: 9, load: BALANCE_RUNS + 1 })
    expect(chosen(holder, worker('free'), worker('some', { blocks: 1 }))).toBe('some')
  })

  test('a lead of a few runs counts for nothing where all have much to do', () => {
    const load = 100
    const holder = worker('holder', { blocks: 1, load: load + BALANCE_RUNS + 1 })
    expect(chosen(holder, worker('other', { load }))).toBe('holder')
    const busier = worker('holder', { blocks: 1, load: load * BALANCE_RATIO + 1 })
    expect(chosen(busier, worker('other', { load }))).toBe('other')
  })
})

test('whatever is known: one is chosen, and never far above the least loaded', () => {
  const candidate = fc.record({
    load: fc.nat(200),
    blocks: fc.nat(20),
    lastPicked: fc.nat(50),
  })
  fc.assert(
    fc.property(fc.array(candidate, { minLength: 1, maxLength: 8 }), (candidates) => {
      const choice = chooseWorker(candidates)
      const least = Math.min(...candidates.map(({ load }) => load))
      expect(candidates).toContain(choice)
      expect(choice?.load).toBeLessThanOrEqual(
        Math.max(least + BALANCE_RUNS, least * BALANCE_RATIO),
      )
    }),
  )
})
