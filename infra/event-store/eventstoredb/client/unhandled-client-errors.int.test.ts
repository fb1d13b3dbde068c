import { runProgram } from '@svc/testing/child-process'
import { expect, test } from 'vitest'
import { isUnhandledClientError } from './unhandled-client-errors.ts'

const PROGRAM = new URL('../testing/provoke-unhandled-client-errors.ts', import.meta.url)

test('errors that the client lets loose are known', async () => {
  const program = runProgram(PROGRAM, [])
  expect(await program.ended).toBe(0)
  const { lines } = program
  const broken = lines.indexOf('full connection broken')
  expect(lines.slice(0, broken).length).toBeGreaterThan(0)
  expect(new Set(lines.slice(0, broken))).toEqual(new Set(['unhandled']))
  expect(lines.slice(broken + 1)).toEqual(['unknown', 'unhandled', 'alive'])
})

test('errors of others are not taken for them', () => {
  const coded = Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details: 'x' })
  expect(isUnhandledClientError(new Error('Failed to discover after 1000 attempts.'))).toBe(true)
  expect(isUnhandledClientError(coded)).toBe(false)
  expect(isUnhandledClientError(new TypeError('undefined is not iterable'))).toBe(false)
  expect(isUnhandledClientError(new Error('a bug'))).toBe(false)
  expect(isUnhandledClientError('Failed to discover after 10 attempts.')).toBe(false)
  expect(isUnhandledClientError(undefined)).toBe(false)
})
