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
