/** An older copy, or another server, under a store that is open. */
import { START, StoreRewoundError } from '@svc/contracts/ports/event-store'
import { expect, test } from 'vitest'
import { fillStream, newEvents } from '../../compliance/fixtures.ts'
import { type StoreOnDouble, withStore } from '../testing/store-on-double.ts'

const stream = 'account-1'
const watchTimes = { everyMs: 50, rewoundAfterMs: 300 }

/** Views follow a store in use, which is how a broken connection is noticed. */
function follow({ store }: Pick<StoreOnDouble, 'store'>): () => Promise<void> {
  const abort = new AbortController()
  const following = (async () => {
    const request = { after: START, batchSize: 100, signal: abort.signal }
    for await (const _ of store.subscribe(request));
  })()
  return async () => {
    abort.abort()
    await following
  }
}

const refusalOf = (call: Promise<unknown>) => call.then(String, (error: unknown) => error)

async function restoreUnder({ double }: StoreOnDouble, events: number): Promise<void> {
  await double.kill()
  double.restoreCopy(events)
  await double.restart()
}

test.each([
  ['an older copy', (before: number) => before],
  ['an empty server', () => 0],
])('%s is neither read nor written, and says the way back', (_, eventsOf) =>
  withStore({ watchTimes }, async (parts) => {
    const { store, double, warnings } = parts
    const stop = follow(parts)
    const old = await fillStream(store, stream, 3)
    const copied = double.observed.eventsCommitted
    await fillStream(store, stream, 3, { from: old })
    await restoreUnder(parts, eventsOf(copied))
    const append = () => store.append({ stream, expected: old, events: newEvents(1) })
    const refusals = () => Promise.all([append(), store.lastPosition()].map(refusalOf))
    const isRewound = [expect.any(StoreRewoundError), expect.any(StoreRewoundError)]
    await expect.poll(refusals).toEqual(isRewound)
    const troubles = store.troubles()
    expect(troubles).toEqual([
      {
        message: expect.stringContaining('--accept-new-store'),
        notReady: 'the event log is not the one that it was',
      },
    ])
    expect(warnings).toContain('event store rewound, accepting nothing')
    // The store that was restored has not been told anything.
    expect(await refusalOf(append())).toBeInstanceOf(StoreRewoundError)
    await stop()
  }),
)

test('an older copy behind a connection that holds is noticed at the next look', () =>
  withStore({ watchTimes }, async (parts) => {
    const { store, double } = parts
    const stop = follow(parts)
    await fillStream(store, stream, 3)
    double.restoreCopy(2)
    const look = () => refusalOf(store.readStream({ stream, direction: 'forwards', limit: 9 }))
    await expect.poll(look).toBeInstanceOf(StoreRewoundError)
    await stop()
  }))

test('a server that finds its last events only a moment later is waited for', () =>
  withStore({ watchTimes: { everyMs: 50, rewoundAfterMs: 20_000 } }, async (parts) => {
    const { store, double, warnings } = parts
    const stop = follow(parts)
    const head = await fillStream(store, stream, 3)
    double.faults.indexLagMs = 500
    double.faults.atKill = 'commit'
    double.faults.holdAppends()
    const last = store.append({ stream, expected: head, events: newEvents(1) })
    await expect.poll(() => double.observed.appendsUncommitted).toBe(1)
    await double.kill()
    await last
    await double.restart()
    const read = () =>
      store.readStream({ stream, direction: 'forwards', limit: 9 }).then(
        ({ length }) => length,
        () => 0,
      )
    await expect.poll(read).toBe(4)
    expect(warnings).not.toContain('event store rewound, accepting nothing')
    await stop()
  }))
