import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type PaceTime, SharedPace } from './shared-pace.ts'

const STEP_MS = 2
const LONG_AGO_MS = 10_000

/** Passes by what is done and rested alone. */
class OwnTime implements PaceTime {
  #nowMs = 0

  nowMs(): number {
    return this.#nowMs
  }

  async rest(milliseconds: number): Promise<void> {
    this.#nowMs += milliseconds
  }

  pass(milliseconds: number): void {
    this.#nowMs += milliseconds
  }
}

/** The share of the time that passed which went to steps, however many kinds of work took them. */
async function shareOf(pace: SharedPace, time: OwnTime, kinds: number): Promise<number> {
  const beganMs = time.nowMs()
  const steps = Array.from({ length: 20 * kinds }, () => pace.step(() => time.pass(STEP_MS)))
  await Promise.all(steps)
  return (steps.length * STEP_MS) / (time.nowMs() - beganMs)
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
    const time = new OwnTime()
    const pace = new SharedPace(time)
    const leave = pace.enter()
    expect(await shareOf(pace, time, 3)).toBeCloseTo(0.25, 2)
    leave()
    // Whoever was served may ask again.
    expect(await shareOf(pace, time, 1)).toBeCloseTo(0.25, 1)
    time.pass(LONG_AGO_MS)
    expect(await shareOf(pace, time, 1)).toBe(1)
  })

  test('says that it is shared while somebody is served, and for a while after', () => {
    const time = new OwnTime()
    const pace = new SharedPace(time)
    expect(pace.isShared).toBe(false)
    const leave = pace.enter()
    time.pass(LONG_AGO_MS)
    expect(pace.isShared).toBe(true)
    leave()
    expect(pace.isShared).toBe(true)
    time.pass(LONG_AGO_MS)
    expect(pace.isShared).toBe(false)
  })

  test('does not rest without bound for a step that was long for once', async () => {
    const time = new OwnTime()
    const pace = new SharedPace(time)
    pace.enter()
    await pace.step(() => time.pass(60_000))
    await pace.step(() => {})
    expect(time.nowMs()).toBe(60_100)
  })

  test('takes all of the loop while nobody is served', async () => {
    const time = new OwnTime()
    expect(await shareOf(new SharedPace(time), time, 1)).toBe(1)
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
