import { describe, expect, it } from 'vitest'
import { TenantQueue } from './tenant-queue.ts'

function drain(queue: TenantQueue<string>): string[] {
  const items: string[] = []
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item)
  return items
}

describe('the queue of a worker', () => {
  it('serves tenants in turns and each of them in order', () => {
    const queue = new TenantQueue<string>(10)
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item.charAt(0), item)
    expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('gives a tenant of a larger weight more turns, and starves nobody', () => {
    const queue = new TenantQueue<string>(20)
    for (const item of ['a1', 'b1', 'a2', 'b2', 'b3', 'b4', 'a3', 'b5']) {
      queue.push(item.charAt(0), item, item.startsWith('b') ? 3 : 1)
    }
    expect(drain(queue)).toEqual(['a1', 'b1', 'b2', 'b3', 'a2', 'b4', 'b5', 'a3'])
  })

  it('takes no more than its limit', () => {
    const queue = new TenantQueue<string>(2)
    expect([queue.push('a', '1'), queue.push('b', '2'), queue.push('c', '3')]).toEqual([
      true,
      true,
      false,
    ])
    expect(queue.length).toBe(2)
    expect(drain(queue)).toEqual(['1', '2'])
  })

  it('takes no more of one tenant than its room', () => {
    const queue = new TenantQueue<string>(10, 1)
    expect([queue.push('a', '1'), queue.push('a', '2'), queue.push('b', '3')]).toEqual([
      true,
      false,
      true,
    ])
    expect(drain(queue)).toEqual(['1', '3'])
  })

  describe('that is full', () => {
    function full(...items: readonly string[]): TenantQueue<string> {
      const queue = new TenantQueue<string>(items.length, items.length - 1)
      for (const item of items) queue.push(item.charAt(0), item)
      return queue
    }
    const anyone = () => true

    it('names the newest of the longest line as the one that has to go', () => {
      const queue = full('a1', 'a2', 'b1', 'b2', 'b3')
      expect(queue.toMakeRoomFor('c', anyone)).toBe('b3')
      expect(queue.toMakeRoomFor('a', anyone)).toBeUndefined()
      expect(queue.toMakeRoomFor('b', anyone)).toBeUndefined()
    })

    it('names nobody for a tenant whose own line is full', () => {
      const queue = new TenantQueue<string>(5, 1)
      for (const item of ['a1', 'b1']) queue.push(item.charAt(0), item)
      for (const item of ['c1', 'c2', 'c3']) queue.putBack('c', item, 1)
      expect(queue.toMakeRoomFor('a', anyone)).toBeUndefined()
      expect(queue.toMakeRoomFor('d', anyone)).toBe('c1')
    })

    it('names nobody who has no more waiting than the newcomer would', () => {
      expect(full('a1', 'b1').toMakeRoomFor('c', anyone)).toBeUndefined()
    })

    it('names nobody who may not go, and nobody before it is full', () => {
      expect(full('a1', 'a2', 'a3', 'b1').toMakeRoomFor('c', () => false)).toBeUndefined()
      const queue = new TenantQueue<string>(10)
      for (const item of ['a1', 'a2', 'a3']) queue.push('a', item)
      expect(queue.toMakeRoomFor('b', anyone)).toBeUndefined()
    })
  })

  it('lets an item leave before its turn', () => {
    const queue = new TenantQueue<string>(3)
    queue.push('a', '1')
    queue.push('b', '2')
    expect(queue.remove('a', '1')).toBe(true)
    expect(queue.remove('a', '1')).toBe(false)
    expect(queue.length).toBe(1)
    expect(drain(queue)).toEqual(['2'])
  })

  it('keeps the others of a tenant whose item leaves', () => {
    const queue = new TenantQueue<string>(4)
    for (const item of ['a1', 'a2', 'a3']) queue.push('a', item)
    expect([queue.remove('b', 'a1'), queue.remove('a', 'a9')]).toEqual([false, false])
    expect(queue.remove('a', 'a2')).toBe(true)
    expect(queue.length).toBe(2)
    expect(drain(queue)).toEqual(['a1', 'a3'])
  })

  it('has room again for each item that is taken', () => {
    const queue = new TenantQueue<string>(2)
    for (const item of ['1', '2']) queue.push('a', item)
    expect([queue.shift(), queue.length, queue.isFull]).toEqual(['1', 1, false])
    expect([queue.push('b', '3'), queue.push('b', '4')]).toEqual([true, false])
  })

  it('takes what is put back before the others of its tenant, also when it is full', () => {
    const queue = new TenantQueue<string>(2)
    for (const item of ['a1', 'a2']) queue.push('a', item)
    queue.putBack('a', 'a0', 1)
    queue.putBack('b', 'b0', 3)
    expect(queue.length).toBe(4)
    expect(queue.tenants()).toEqual([
      { tenant: 'a', weight: 1 },
      { tenant: 'b', weight: 3 },
    ])
    expect(drain(queue)).toEqual(['a0', 'b0', 'a1', 'a2'])
  })

  it('serves first whoever has fewest sequences for a weight', () => {
    const queue = new TenantQueue<string>(4)
    queue.push('light', 'light', 1)
    queue.push('heavy', 'heavy', 4)
    const heldBy = (tenant: string) => (tenant === 'heavy' ? 3 : 1)
    expect([queue.shift(heldBy), queue.shift(heldBy)]).toEqual(['heavy', 'light'])
  })
})

describe('a queue of which some tenants cannot be served now', () => {
  it('takes turns by tenant, in order within one', () => {
    const queue = new TenantQueue<string>(1024, 64)
    for (const task of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(task.slice(0, 1), task)
    const served = Array.from({ length: 7 }, () => queue.shift())
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined])
  })

  it('passes over who cannot be served, who keeps the turn', () => {
    const queue = new TenantQueue<string>(1024, 64)
    for (const task of ['a1', 'b1', 'b2']) queue.push(task.slice(0, 1), task)
    expect(queue.shift((tenant) => (tenant === 'a' ? Number.POSITIVE_INFINITY : 0))).toBe('b1')
    expect([queue.shift(), queue.shift()]).toEqual(['a1', 'b2'])
    expect(queue.shift(() => Number.POSITIVE_INFINITY)).toBeUndefined()
  })

  it('is bounded for each tenant, and the others can still push', () => {
    const queue = new TenantQueue<number>(1024, 64)
    const taken = Array.from({ length: 1000 }, (_, index) => queue.push('flood', index))
    expect(taken.filter(Boolean).length).toBe(64)
    expect(queue.push('victim', 1)).toBe(true)
    const all = Array.from({ length: 3000 }, (_, index) => queue.push(`t${index}`, index))
    expect(all.filter(Boolean).length).toBe(1024 - 65)
  })
})
