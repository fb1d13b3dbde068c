import { ManualTime } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { defaultHttpLimits } from '../http/limits.ts'
import { PreparationTurns } from './preparation-turns.ts'

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
