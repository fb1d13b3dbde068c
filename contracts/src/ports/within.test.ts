import { ManualTime } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { untilAborted, within } from './within.ts'

const never = new Promise<string>(() => {})

test('a promise that settles in time is heard, and its timer is cancelled', async () => {
  let planned = 0
  const timer = {
    after() {
      planned += 1
      return () => {
        planned -= 1
      }
    },
  }
  expect(await within(timer, 10, Promise.resolve('done'), 'late')).toBe('done')
  await expect(within(timer, 10, Promise.reject(new Error('no')), 'late')).rejects.toThrow('no')
  expect(planned).toBe(0)
})

test('one that does not is given up at the bound, not before', async () => {
  const time = new ManualTime()
  let outcome: string | undefined
  void within(time, 10, never, 'late').then((result) => {
    outcome = result
  })
  await time.advance(9)
  expect(outcome).toBeUndefined()
  await time.advance(1)
  expect(outcome).toBe('late')
})

test('an abort gives it up before the bound, and one that came before does so at once', async () => {
  const time = new ManualTime()
  const leaving = new AbortController()
  const outcome = within(time, 10, never, 'late', leaving.signal)
  leaving.abort()
  expect(await outcome).toBe('late')
  expect(await within(time, 10, never, 'late', leaving.signal)).toBe('late')
  expect(await within(time, 10, Promise.resolve('done'), 'late', leaving.signal)).toBe('done')
})

test('what has no bound in time is waited for until the signal is aborted', async () => {
  const stop = new AbortController()
  const reason = new Error('stopped')
  const left = expect(untilAborted(never, stop.signal)).rejects.toBe(reason)
  expect(await untilAborted(Promise.resolve('done'), stop.signal)).toBe('done')
  stop.abort(reason)
  await left
  await expect(untilAborted(never, stop.signal)).rejects.toBe(reason)
})

test('a promise that settles first leaves nothing on the signal', async () => {
  const { signal } = new AbortController()
  const listeners = new Set<unknown>()
  signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener)
  signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener)
  await untilAborted(Promise.resolve(), signal)
  await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
  expect(listeners).toEqual(new Set())
})
