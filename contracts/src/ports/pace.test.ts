import { expect, test } from 'vitest'
import { inSteps, type Pace } from './pace.ts'

/** Notes what was taken in each step. */
function notingPace(taken: number[]): Pace & { readonly steps: readonly (readonly number[])[] } {
  const steps: (readonly number[])[] = []
  return {
    steps,
    async step(work) {
      const result = await work()
      steps.push(taken.splice(0))
      return result
    },
  }
}

test('all values are taken, a given number in each step', async () => {
  const taken: number[] = []
  const pace = notingPace(taken)
  await inSteps(pace, [1, 2, 3, 4, 5], 2, (value) => taken.push(value))
  expect(pace.steps).toEqual([[1, 2], [3, 4], [5]])
})

test('while customers are served a step takes a part of them', async () => {
  const taken: number[] = []
  const pace = notingPace(taken)
  let isShared = true
  const shared = {
    step: pace.step,
    get isShared() {
      return isShared
    },
  }
  await inSteps(shared, [1, 2, 3, 4, 5, 6, 7, 8, 9], 8, (value) => {
    taken.push(value)
    // The last customer leaves.
    if (value === 2) isShared = false
  })
  expect(pace.steps).toEqual([
    [1, 2],
    [3, 4, 5, 6, 7, 8, 9],
  ])
})

test('an abort ends it before the next step', async () => {
  const taken: number[] = []
  const pace = notingPace(taken)
  const leaving = new AbortController()
  const take = (value: number) => {
    taken.push(value)
    if (value === 3) leaving.abort()
  }
  await expect(inSteps(pace, [1, 2, 3, 4, 5], 2, take, leaving.signal)).rejects.toThrow('aborted')
  expect(pace.steps).toEqual([
    [1, 2],
    [3, 4],
  ])
})
