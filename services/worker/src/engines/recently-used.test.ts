import { beforeEach, describe, expect, it } from 'vitest'
import { RecentlyUsed } from './recently-used.ts'

describe('what was used recently', () => {
  let made: string[] = []
  let memory: RecentlyUsed<string, string>
  beforeEach(() => {
    made = []
    const weigh = (_key: string, value: string) => value.length
    memory = new RecentlyUsed({ entriesMax: 2, weightMax: 10, weigh })
  })
  const use = (keys: readonly string[]) => {
    for (const key of keys) {
      const value = memory.get(key, () => {
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

  it('is not kept when it could not be made', () => {
    const fail = () => {
      throw new Error('cannot')
    }
    expect(() => memory.get('a', fail)).toThrow('cannot')
    expect(use(['a'])).toEqual(['a'])
  })
})
