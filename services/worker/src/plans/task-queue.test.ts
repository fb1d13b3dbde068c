import { describe, expect, it } from 'vitest'
import { TaskQueue } from './task-queue.ts'

const anyone = () => true

describe('what waits to be compiled', () => {
  it('takes turns by tenant, in order within one', () => {
    const queue = new TaskQueue<string>()
    for (const task of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(task.slice(0, 1), task)
    const served = Array.from({ length: 7 }, () => queue.shift(anyone))
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined])
  })

  it('passes over who cannot be served, who keeps the turn', () => {
    const queue = new TaskQueue<string>()
    for (const task of ['a1', 'b1', 'b2']) queue.push(task.slice(0, 1), task)
    expect(queue.shift((tenant) => tenant !== 'a')).toBe('b1')
    expect([queue.shift(anyone), queue.shift(anyone)]).toEqual(['a1', 'b2'])
    expect(queue.shift(() => false)).toBeUndefined()
  })

  it('is bounded for each tenant, and the others can still push', () => {
    const queue = new TaskQueue<number>()
    const taken = Array.from({ length: 1000 }, (_, index) => queue.push('flood', index))
    expect(taken.filter(Boolean).length).toBe(64)
    expect(queue.push('victim', 1)).toBe(true)
    const all = Array.from({ length: 3000 }, (_, index) => queue.push(`t${index}`, index))
    expect(all.filter(Boolean).length).toBe(1024 - 65)
  })
})
