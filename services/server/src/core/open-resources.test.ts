import { pino } from 'pino'
import { expect, test } from 'vitest'
import { OpenResources } from './open-resources.ts'

const silent = pino({ level: 'silent' })

test('what was opened last is closed first, and each part once', async () => {
  const parts = new OpenResources(silent)
  const closed: string[] = []
  parts.add(() => void closed.push('store'))
  parts.add(async () => void closed.push('ledger'))
  expect(await parts.close()).toBe(true)
  expect(await parts.close()).toBe(true)
  expect(closed).toEqual(['ledger', 'store'])
})

test('a part that cannot be closed keeps no other one open, and the end is not clean', async () => {
  const parts = new OpenResources(silent)
  const closed: string[] = []
  parts.add(() => void closed.push('store'))
  parts.add(() => Promise.reject(new Error('stuck')))
  parts.add(() => void closed.push('server'))
  expect(await parts.close()).toBe(false)
  expect(closed).toEqual(['server', 'store'])
})
