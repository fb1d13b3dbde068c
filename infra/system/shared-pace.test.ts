import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { SharedPace } from './shared-pace.ts'

const STEP_MS = 2

function busyFor(milliseconds: number): void {
  const endMs = performance.now() + milliseconds
  while (performance.now() < endMs);
}

/** The share of the time that passed which went to the steps. */
async function shareOf(pace: SharedPace, steps: number): Promise<number> {
  const beganMs = performance.now()
  let workedMs = 0
  for (let step = 0; step < steps; step += 1) {
    await pace.step(() => {
      const startMs = performance.now()
      busyFor(STEP_MS)
      workedMs += performance.now() - startMs
    })
  }
  return workedMs / (performance.now() - beganMs)
}

describe('a pace shared by long work', () => {
  test('gives every step a turn of its own, so that others get theirs in between', async () => {
    const pace = new SharedPace()
    const order: string[] = []
    let stopped = false
    const others = (async () => {
      while (!stopped) {
        order.push('other')
        await nextTurn()
      }
    })()
    await Promise.all(Array.from({ length: 20 }, () => pace.step(() => order.push('step'))))
    stopped = true
    await others
    expect(order.join(' ')).not.toContain('step step')
  })

  test('leaves most of the loop to who is served, however much long work there is', async () => {
    const pace = new SharedPace()
    const leave = pace.enter()
    const shares = await Promise.all([1, 2, 3].map(() => shareOf(pace, 20)))
    leave()
    expect(shares.reduce((sum, share) => sum + share)).toBeLessThan(0.3)
    // Whoever was served may ask again.
    expect(await shareOf(pace, 5)).toBeLessThan(0.3)
  })

  test('takes all of the loop while nobody is served', async () => {
    expect(await shareOf(new SharedPace(), 20)).toBeGreaterThan(0.4)
  })

  test('runs steps in the order in which they were asked for', async () => {
    const pace = new SharedPace()
    const order: number[] = []
    await Promise.all([0, 1, 2, 3].map((step) => pace.step(() => order.push(step))))
    expect(order).toEqual([0, 1, 2, 3])
  })

  test('does not wait for what a step waits for', async () => {
    const pace = new SharedPace()
    const never = pace.step(() => new Promise(() => {}))
    expect(await Promise.race([never, pace.step(() => 'next')])).toBe('next')
  })

  test('a step that fails fails alone', async () => {
    const pace = new SharedPace()
    const failing = pace.step(() => {
      throw new Error('broken')
    })
    const next = pace.step(() => 'fine')
    await expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('fine')
  })
})
