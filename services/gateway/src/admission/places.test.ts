/** Places by given, when, then: who runs, who waits, who has to go. */
import type { ServiceError } from '@svc/contracts/errors'
import { RecentTenants } from '@svc/infra/turns/recent-tenants'
import { describe, expect, test } from 'vitest'
import { type OwnBounds, type PlaceBounds, Places } from './places.ts'
import type { Visit } from './visit.ts'

const MINUTE_MS = 60_000
const BOUNDS: PlaceBounds = {
  requestsPerKey: 2,
  requestsPerAccount: 3,
  requestsInFlight: 4,
  waitingPerAccount: 3,
  waitingRequests: 4,
  waitMs: 1_000,
  smallBodyBytes: 10,
  bodyBytesPerAccount: 100,
  bodyBytesInFlight: 150,
}

interface World {
  readonly places: Places
  enter(account: string, key?: string, bodyBytes?: number): Visit
  pass(ms: number): void
}

function world(
  bounds: Partial<PlaceBounds> = {},
  weights?: ReadonlyMap<string, number>,
  alone?: OwnBounds,
): World {
  let now = 0
  const recent = new RecentTenants(() => now, MINUTE_MS)
  const timers = new Map<() => void, number>()
  const places = new Places({
    bounds: { ...BOUNDS, ...bounds },
    clock: { nowMs: () => now },
    timer: {
      after(delayMs, run) {
        timers.set(run, now + delayMs)
        return () => timers.delete(run)
      },
    },
    weights,
    ...(alone === undefined ? {} : { alone: { bounds: alone, recent } }),
  })
  return {
    places,
    enter: (accountId, key = '1', bodyBytes = 0) =>
      places.enter({ accountId, keyId: `${accountId}-${key}`, bodyBytes }),
    pass(ms) {
      now += ms
      for (const [run, at] of timers) if (at <= now && timers.delete(run)) run()
    },
  }
}

async function refusalOf(visit: Visit): Promise<ServiceError> {
  return visit.admitted.then(
    () => Promise.reject(new Error('it was let in')),
    (error: ServiceError) => error,
  )
}

function states(...visits: readonly Visit[]): string {
  return visits.map(({ state }) => state[0]).join('')
}

test('a key has its places, its account has more, and the rest waits', () => {
  const { enter } = world()
  expect(states(enter('a'), enter('a'), enter('a'))).toBe('rrw')
  expect(states(enter('a', '2'), enter('a', '2'))).toBe('rw')
})

test('the first that may run of a line goes in when a place is free', () => {
  const { enter } = world()
  const [one, two] = [enter('a'), enter('a', '2')]
  const rest = [enter('a'), enter('a'), enter('a', '2')]
  expect(states(...rest)).toBe('rww')
  one.leave()
  expect(states(...rest)).toBe('rrw')
  two.leave()
  expect(states(...rest)).toBe('rrr')
})

test('a full line of its own turns the newcomer away, and tells when to come back', () => {
  const { enter, pass } = world()
  const first = enter('a')
  pass(9_000)
  first.leave()
  for (let count = 0; count < 5; count += 1) enter('a')
  expect(() => enter('a')).toThrow(
    expect.objectContaining({
      code: 'rate_limit_exceeded',
      retryAfterSeconds: 1,
      rate: { limit: 2, remaining: 0, resetSeconds: 1 },
    }),
  )
})

test('the keys of an account share its line: two that flood it leave no place for a third', () => {
  const { enter } = world()
  const [oldest] = [enter('a'), enter('a'), enter('a', '2')]
  const waiting = [enter('a'), enter('a', '2'), enter('a', '2')]
  expect(() => enter('a', '3')).toThrow('one account')
  oldest.leave()
  expect(states(...waiting, enter('a', '3'))).toBe('rwww')
})

test('the time to come back grows with how long requests take and how many wait', () => {
  const { enter, pass } = world({ waitMs: 60_000 })
  const visits = [enter('a'), enter('a'), enter('a'), enter('a'), enter('a')]
  pass(4_000)
  visits[0]?.leave()
  enter('a')
  // Three wait, two run, each for about four seconds: 4 s × 4 / 2.
  expect(() => enter('a')).toThrow(expect.objectContaining({ retryAfterSeconds: 8 }))
})

describe('when all places are taken', () => {
  test('the accounts take turns', () => {
    const { enter } = world({ requestsInFlight: 1 })
    const first = enter('a')
    const [a1, a2] = [enter('a'), enter('a')]
    const b = enter('b')
    first.leave()
    expect(states(a1, a2, b)).toBe('rww')
    a1.leave()
    expect(states(a2, b)).toBe('wr')
    b.leave()
    expect(states(a2)).toBe('r')
  })

  test('an account has as many turns in a row as its weight says', () => {
    const { enter } = world({ requestsInFlight: 1, waitingRequests: 10 }, new Map([['a', 2]]))
    let running = enter('c')
    const waiting = [enter('a'), enter('a'), enter('a'), enter('b'), enter('b')]
    const order: string[] = []
    while (order.length < waiting.length) {
      running.leave()
      running = waiting.find(({ state }) => state === 'running') ?? running
      order.push(running.account.accountId)
    }
    expect(order.join('')).toBe('aabab')
  })

  test('the newest of the longest line has to go, whoever comes', async () => {
    const { enter } = world({ requestsInFlight: 1 })
    enter('a')
    const ofA = [enter('a'), enter('a'), enter('a')]
    const ofB = enter('b')
    const ofC = enter('c')
    expect(states(...ofA, ofB, ofC)).toBe('wweww')
    expect(await refusalOf(ofA[2] as Visit)).toMatchObject({ code: 'server_is_overloaded' })
  })

  test('a newcomer whose own line is the longest is turned away itself', () => {
    const { enter, places } = world({ requestsInFlight: 1, waitingRequests: 2 })
    enter('a')
    enter('b')
    enter('b')
    expect(() => enter('b')).toThrow(expect.objectContaining({ code: 'server_is_overloaded' }))
    expect(places.waiting).toBe(2)
  })

  test('who waits for credit holds no place of others', async () => {
    const { enter } = world({ requestsInFlight: 1 })
    const waitsForCredit = enter('a')
    const other = enter('b')
    const credit = Promise.withResolvers<void>()
    const accepted = waitsForCredit.aside(() => credit.promise)
    expect(states(waitsForCredit, other)).toBe('ar')
    credit.resolve()
    await accepted
    expect(states(waitsForCredit, other)).toBe('rr')
    waitsForCredit.leave()
    other.leave()
    expect(states(enter('a'), enter('b'))).toBe('rw')
  })
})

describe('bodies', () => {
  test('of one account wait when they are more than it may have, and disturb no other', () => {
    const { enter } = world()
    const first = enter('a', '1', 90)
    const second = enter('a', '1', 20)
    expect(states(first, second, enter('b', '1', 20))).toBe('rwr')
    first.bodyRead(80)
    expect(states(second)).toBe('r')
    expect(states(enter('a', '2', 1))).toBe('w')
  })

  test('are counted no more when their requests have left', () => {
    const { enter } = world()
    const [first] = [enter('a', '1', 90), enter('a', '1', 10)]
    first.leave()
    first.bodyRead(0)
    expect(states(enter('a', '1', 90), enter('a', '2', 1))).toBe('rw')
  })

  test('of all wait too, unless they are small', () => {
    const { enter } = world()
    enter('a', '1', 100)
    expect(states(enter('b', '1', 60), enter('b', '1', 10), enter('c', '1', 50))).toBe('wrr')
  })

  test('one that is larger than all that its account may have goes in alone', () => {
    const { enter } = world()
    const large = enter('a', '1', 1_000)
    const next = enter('a', '1', 1)
    expect(states(large, next)).toBe('rw')
    large.leave()
    expect(states(next)).toBe('r')
  })
})

test('a wait ends with a refusal when it takes too long', async () => {
  const { enter, pass, places } = world()
  enter('a')
  enter('a')
  const third = enter('a')
  pass(1_000)
  expect(await refusalOf(third)).toMatchObject({ code: 'rate_limit_exceeded' })
  expect(places.waiting).toBe(0)
})

test('who leaves the line or a place twice has left once', async () => {
  const { enter, places } = world({ requestsInFlight: 1 })
  const [one, two, three] = [enter('a'), enter('b'), enter('c')]
  two.leave()
  two.leave()
  await two.admitted
  one.leave()
  one.leave()
  expect(states(one, two, three)).toBe('eer')
  expect({ count: places.count, waiting: places.waiting }).toEqual({ count: 1, waiting: 0 })
})

test('who has left frees no second place', async () => {
  const { enter } = world()
  const [gone] = [enter('a'), enter('a')]
  gone.leave()
  await gone.aside(async () => {})
  gone.leave()
  expect(states(enter('a'), enter('a'))).toBe('rw')
})

test('who leaves while it stands aside frees one place, and takes none again', async () => {
  const { enter } = world({ requestsInFlight: 1 })
  const gone = enter('a')
  const credit = Promise.withResolvers<void>()
  const aside = gone.aside(() => credit.promise)
  gone.leave()
  credit.resolve()
  await aside
  expect(states(gone, enter('b'), enter('c'))).toBe('erw')
})

test('all are idle when the last has left, or are given up before', async () => {
  const { enter, pass, places } = world()
  const [one, two] = [enter('a'), enter('b')]
  one.leave()
  const late = places.idle(1_000)
  pass(1_000)
  expect(await late).toBe(false)
  const idle = places.idle(1_000)
  two.leave()
  pass(1_000)
  expect(await idle).toBe(true)
  expect(await places.idle(0)).toBe(true)
})

test('a stop turns away who waits and who comes', async () => {
  const { enter, places } = world()
  const visits = [enter('a'), enter('a'), enter('a')]
  places.turnAway()
  expect(await refusalOf(visits[2] as Visit)).toMatchObject({ code: 'shutting_down' })
  expect(() => enter('b')).toThrow(expect.objectContaining({ code: 'shutting_down' }))
  expect(states(...visits)).toBe('rre')
})

test('a frozen account: what runs is stopped, what waits is refused; others are let be', async () => {
  const { places, enter } = world({ requestsPerKey: 1 })
  const [running, other] = [enter('a'), enter('b')]
  const waiting = [enter('a'), enter('b')] as const
  expect(places.accountIds.toSorted()).toEqual(['a', 'b'])
  places.freeze('a')
  places.freeze('unknown')
  expect([running.stop.reason, other.stop.reason]).toEqual(['account_frozen', undefined])
  expect(await refusalOf(waiting[0])).toMatchObject({ code: 'account_frozen' })
  expect(states(running, other, waiting[1])).toBe('rrw')
})

describe('an account that is alone', () => {
  const ALONE: OwnBounds = { requestsPerKey: 3, requestsPerAccount: 4 }
  const ROOM = { requestsInFlight: 100 }

  test('has more places, of a key and of all its keys', () => {
    const { enter } = world(ROOM, undefined, ALONE)
    const visits = ['1', '1', '1', '1', '2', '2'].map((key) => enter('a', key))
    expect(states(...visits)).toBe('rrrwrw')
  })

  test('has no more than others once another has come, and keeps what it has', () => {
    const { enter } = world(ROOM, undefined, ALONE)
    const early = [enter('a'), enter('a'), enter('a')]
    const other = enter('b')
    const late = enter('a')
    expect(states(...early, other, late)).toBe('rrrrw')
    early[0]?.leave()
    expect(states(late)).toBe('w')
    early[1]?.leave()
    expect(states(late)).toBe('r')
  })

  test('is alone again when no other has come for a minute', () => {
    const { enter, pass } = world(ROOM, undefined, ALONE)
    enter('b').leave()
    pass(MINUTE_MS)
    const early = [enter('a'), enter('a'), enter('a')]
    expect(states(...early)).toBe('rrw')
    pass(1)
    const late = [enter('a', '2'), enter('a', '2')]
    expect(states(...early, ...late)).toBe('rrrrw')
  })

  test('is told the bound that held for it', async () => {
    const { enter } = world({ ...ROOM, waitingPerAccount: 0 }, undefined, ALONE)
    for (let count = 0; count < 3; count += 1) enter('a')
    expect(() => enter('a')).toThrow(/^At most 3 requests of one key can run at once/)
  })
})
