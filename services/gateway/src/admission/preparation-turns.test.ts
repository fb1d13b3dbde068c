import { ManualTime } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { defaultHttpLimits } from '../http/limits.ts'
import { PreparationTurns } from './preparation-turns.ts'

test('two prompts of one account are prepared at once, and eight of all, unless it is set', async () => {
  const time = new ManualTime()
  const turns = new PreparationTurns({ limits: defaultHttpLimits, timer: time, clock: time })
  const stop = new AbortController().signal
  const running = new Map<string, number>()
  const end = Promise.withResolvers<void>()
  const prepare = (accountId: string) =>
    turns.inTurn(accountId, stop, async () => {
      running.set(accountId, (running.get(accountId) ?? 0) + 1)
      await end.promise
    })
  const all = ['a', 'b', 'c', 'd', 'e'].flatMap((id) => [prepare(id), prepare(id), prepare(id)])
  await time.advance(0)
  expect([...running]).toEqual([...'abcd'].map((id) => [id, 2]))
  end.resolve()
  await Promise.all(all)
  expect([...running.values()]).toEqual([3, 3, 3, 3, 3])
})

test('a prompt that waits for its turn for too long is told so, and what the bound is', async () => {
  const time = new ManualTime()
  const limits = { ...defaultHttpLimits, preparationsPerAccount: 1, requestDeadlineMs: 1_000 }
  const turns = new PreparationTurns({ limits, timer: time, clock: time })
  const stop = new AbortController().signal
  const hangs = Promise.withResolvers<void>()
  const first = turns.inTurn('a', stop, () => hangs.promise)
  const second = turns.inTurn('a', stop, async () => 'done')
  const refused = expect(second).rejects.toMatchObject({
    code: 'rate_limit_exceeded',
    message: expect.stringMatching(/^At most 1 prompts of one account are prepared at once/),
    retryAfterSeconds: expect.any(Number),
  })
  await time.advance(1_000)
  await refused
  hangs.resolve()
  await first
})
