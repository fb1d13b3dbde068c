import { RecentTenants } from '@svc/infra/turns/recent-tenants'
import { ManualTime } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { type HttpLimits, httpLimits } from '../http/limits.ts'
import { PreparationTurns } from './preparation-turns.ts'

test('two prompts of one account are prepared at once, and eight of all, unless it is set', async () => {
  const time = new ManualTime()
  const turns = turnsAt(time, {}, ['somebody'])
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

test('a prompt that waits for its turn for too long is told so', async () => {
  const time = new ManualTime()
  const turns = turnsAt(time, { preparationsPerAccount: 1, requestDeadlineMs: 1_000 })
  const stop = new AbortController().signal
  const hangs = Promise.withResolvers<void>()
  const first = turns.inTurn('a', stop, () => hangs.promise)
  const second = turns.inTurn('a', stop, async () => 'done')
  const refused = expect(second).rejects.toMatchObject({
    code: 'rate_limit_exceeded',
    message: expect.stringMatching(/^A few prompts of one account are prepared at once/),
    retryAfterSeconds: expect.any(Number),
  })
  await time.advance(1_000)
  await refused
  hangs.resolve()
  await first
})

test('a request that was stopped before it asks for its turn does not wait for one', async () => {
  const time = new ManualTime()
  const turns = turnsAt(time, { preparationsPerAccount: 1, preparationsPerAccountAlone: 1 })
  const hangs = Promise.withResolvers<void>()
  const first = turns.inTurn('a', new AbortController().signal, () => hangs.promise)
  const stopped = turns.inTurn('a', AbortSignal.abort('client_gone'), async () => 'done')
  const isWaiting = Promise.race([stopped.catch((reason) => reason), time.advance(0)])
  expect(await isWaiting).toBe('client_gone')
  hangs.resolve()
  await first
})

test('four prompts of an account that is alone are prepared at once', async () => {
  const time = new ManualTime()
  const turns = turnsAt(time)
  const stop = new AbortController().signal
  const end = Promise.withResolvers<void>()
  const begun: string[] = []
  const prepare = (accountId: string) =>
    turns.inTurn(accountId, stop, () => {
      begun.push(accountId)
      return end.promise
    })
  const all = Array.from({ length: 5 }, () => prepare('a'))
  await time.advance(0)
  expect(begun).toEqual(['a', 'a', 'a', 'a'])
  all.push(prepare('b'))
  await time.advance(0)
  expect(begun).toEqual(['a', 'a', 'a', 'a', 'b'])
  end.resolve()
  await Promise.all(all)
})

/** @param before accounts that came a moment ago */
function turnsAt(
  time: ManualTime,
  limits: Partial<HttpLimits> = {},
  before: readonly string[] = [],
): PreparationTurns {
  const recent = new RecentTenants(() => time.nowMs())
  for (const account of before) recent.came(account)
  return new PreparationTurns({ limits: httpLimits(limits), timer: time, clock: time, recent })
}
