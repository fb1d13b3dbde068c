import { expect, test } from 'vitest'
import { answerAfterStall } from '../../../testing/answer-after-stall.ts'
import { answerWithin } from './deadline.ts'
import { ServerTimeoutError } from './server-failure.ts'

test('an answer that came while this process stood still is no time-out of the server', async () => {
  expect(await answerAfterStall((answer) => answerWithin(1, 'an answer', answer))).toBe('pong')
})

test('an answer that does not come in time is one', async () => {
  const late = answerWithin(1, 'an answer', new Promise(() => {}))
  await expect(late).rejects.toThrow(ServerTimeoutError)
})
