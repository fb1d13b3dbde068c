import { expect, test } from 'vitest'
import { bytesWithin } from './bounded-bytes.ts'

test('what fits is read whole', async () => {
  const chunks = [Buffer.from('one '), Buffer.from('two')]
  expect(`${await bytesWithin(7, chunks)}`).toBe('one two')
  expect(await bytesWithin(7, [])).toHaveLength(0)
})

test('of what is longer no more is read than shows that', async () => {
  let read = 0
  let isLetGo = false
  async function* endless() {
    try {
      for (;;) {
        read += 4
        yield Buffer.from('more')
      }
    } finally {
      isLetGo = true
    }
  }
  expect(await bytesWithin(10, endless())).toBeUndefined()
  expect(read).toBe(12)
  expect(isLetGo).toBe(true)
})
