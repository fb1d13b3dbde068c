/** What an auditor reads of sign-ins, with a clock that is turned by hand. */
import { auditStream } from '@svc/contracts/events/audit'
import { decodeEvent, decodeMetadata } from '@svc/contracts/events/codec'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { SystemIds } from '@svc/infra/system/system-ids'
import { ManualTime, START_MS } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { SignInTrail } from './sign-in-trail.ts'

const MINUTE_MS = 60_000

function openTrail() {
  const time = new ManualTime()
  const store = new MemoryEventStore()
  const troubles: unknown[] = []
  const trail = new SignInTrail({
    store,
    clock: time,
    timer: time,
    ids: new SystemIds(time),
    onTrouble: (cause) => troubles.push(cause),
  })
  const events = async () => {
    const all = { stream: auditStream, direction: 'forwards', from: 0, limit: 1_000 } as const
    const recorded = await store.readStream(all)
    return recorded.map((event) => {
      const { type, data } = decodeEvent(event)
      return { type, ...data, actor: decodeMetadata(event).actor }
    })
  }
  return { time, store, trail, troubles, events }
}

test('a sign-in and a sign-out are told at once, with who it was; again after a minute', async () => {
  const { time, trail, events } = openTrail()
  await trail.signedIn('usr_a', 'password')
  await trail.signedIn('usr_a', 'password')
  await trail.signedOut('usr_a')
  await trail.signedIn('usr_b', 'password')
  await time.advance(MINUTE_MS)
  await trail.signedIn('usr_a', 'password')
  const of = (type: string, userId: string, at: number) => {
    const way = type === 'UserSignedIn' ? { way: 'password' } : {}
    return { type, userId, ...way, at, actor: `user:${userId}` }
  }
  expect(await events()).toEqual([
    of('UserSignedIn', 'usr_a', START_MS),
    of('UserSignedOut', 'usr_a', START_MS),
    of('UserSignedIn', 'usr_b', START_MS),
    of('UserSignedIn', 'usr_a', START_MS + MINUTE_MS),
  ])
})

test('refusals are counted by user, and written once a minute', async () => {
  const { time, trail, events } = openTrail()
  for (let guesses = 0; guesses < 7; guesses += 1) trail.refused('usr_a')
  await time.advance(MINUTE_MS / 2)
  trail.refused(undefined)
  expect(await events()).toEqual([])
  await time.advance(MINUTE_MS / 2)
  const at = START_MS + MINUTE_MS
  const refused = { type: 'SignInsRefused', at, actor: 'dashboard' }
  expect(await events()).toEqual([
    { ...refused, userId: 'usr_a', count: 7, since: START_MS },
    { ...refused, userId: null, count: 1, since: START_MS + MINUTE_MS / 2 },
  ])
  await time.advance(MINUTE_MS)
  expect(await events()).toHaveLength(2)
})

test('guesses at very many users leave a bounded number of events, and none is lost', async () => {
  const { trail, events } = openTrail()
  for (let user = 0; user < 1_000; user += 1) trail.refused(`usr_${user}`)
  await trail.close()
  const written = await events()
  expect(written).toHaveLength(101)
  expect(written.reduce((sum, event) => sum + ('count' in event ? event.count : 0), 0)).toBe(1_000)
})

test('what could not be written is written with the next', async () => {
  const { time, store, trail, troubles, events } = openTrail()
  const append = store.append.bind(store)
  store.append = async () => {
    throw new RangeError('refused by the test')
  }
  trail.refused('usr_a')
  await time.advance(MINUTE_MS)
  expect([troubles.length, await events()]).toEqual([1, []])
  store.append = append
  trail.refused('usr_a')
  await time.advance(MINUTE_MS)
  expect(await events()).toMatchObject([{ userId: 'usr_a', count: 2, since: START_MS }])
})
