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
})
