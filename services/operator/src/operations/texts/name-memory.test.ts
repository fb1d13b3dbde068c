import type { TextStore } from '@svc/contracts/ports/text-store'
import { MemoryTextStore } from '@svc/infra/text-store/memory/memory-text-store'
import { beforeEach, expect, test } from 'vitest'
import { NameMemory } from './name-memory.ts'

let texts: TextStore
let nowMs: number
let names: NameMemory
let word: string

beforeEach(async () => {
  texts = new MemoryTextStore()
  nowMs = 1_000_000
  names = new NameMemory({ texts, clock: { nowMs: () => nowMs } })
  word = await texts.keep('acct_1', 'Zoe\u0308 KG')
  names.begin()
  await names.read([word])
})

test('keeps a text as it is compared', () => {
  expect(names.textOf(word)).toBe('zo\u00eb kg')
  expect(names.textOf('another')).toBeUndefined()
})

test('forgets all after a minute, so that what was erased does not stay', async () => {
  await texts.erase('acct_1')
  nowMs += 61_000
  names.begin()
  expect(names.textOf(word)).toBeUndefined()
  await names.read([word])
  expect(names.textOf(word)).toBe('erased')
})
