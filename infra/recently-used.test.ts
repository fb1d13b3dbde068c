import { beforeEach, describe, expect, it } from 'vitest'
import { RecentlyUsed } from './recently-used.ts'

describe('what was used recently', () => {
  let made: string[] = []
  let memory: RecentlyUsed<string, string>
  beforeEach(() => {
    made = []
    const weight = { max: 10, of: (_key: string, value: string) => value.length }
    memory = new RecentlyUsed({ entriesMax: 2, weight })
  })
  const use = (keys: readonly string[]) => {
    for (const key of keys) {
      const value = memory.getOrMake(key, () => {
        made.push(key)
        return key.toUpperCase()
      })
      expect(value).toBe(key.toUpperCase())
    }
    return made
  }

  it('is made once, and the least recently used goes when there are too many', () => {
    expect(use(['a', 'b', 'a', 'c', 'a', 'b'])).toEqual(['a', 'b', 'c', 'b'])
  })

  it('goes when there is too much of it', () => {
    const heavy = 'x'.repeat(9)
    expect(use(['aa', heavy, 'aa', heavy])).toEqual(['aa', heavy, 'aa', heavy])
  })

  it('is not kept when it is too much by itself', () => {
    const tooHeavy = 'x'.repeat(11)
    expect(use([tooHeavy, tooHeavy])).toEqual([tooHeavy, tooHeavy])
  })

  it('of one owner goes when that owner has more than a share, and of no other', () => {
    const weight = { max: 20, of: (_key: string, value: string) => value.length }
    const share = { part: 0.5, of: (key: string) => key.slice(0, 1) }
    memory = new RecentlyUsed({ entriesMax: 6, weight, share })
    expect(use(['a1', 'b1', 'b2', 'b3', 'b4', 'b1', 'a1', 'b4'])).toEqual([
      'a1',
      'b1',
      'b2',
      'b3',
      'b4',
      'b1',
    ])
    const heavy = `c${'x'.repeat(8)}`
    made = []
    expect(use([heavy, 'c1', 'a1', heavy])).toEqual([heavy, 'c1', heavy])
  })

  it('is not kept when it could not be made', () => {
    const fail = () => {
      throw new Error('cannot')
    }
    expect(() => memory.getOrMake('a', fail)).toThrow('cannot')
    expect(use(['a'])).toEqual(['a'])
  })

  it('is replaced under its key, and counts at its new weight alone', () => {
    memory.set('a', 'x'.repeat(9))
    memory.set('a', 'x')
    memory.set('b', 'x'.repeat(9))
    expect([memory.get('a'), memory.get('b')?.length]).toEqual(['x', 9])
  })
})

it('keeps a number of entries where no weight is asked for', () => {
  const heads = new RecentlyUsed<string, number>({ entriesMax: 2 })
  heads.set('a', 1)
  heads.set('b', 2)
  expect(heads.get('a')).toBe(1)
  heads.set('c', 3)
  expect([heads.get('a'), heads.get('b'), heads.get('c')]).toEqual([1, undefined, 3])
})
