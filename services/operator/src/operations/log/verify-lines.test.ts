/** A verification beside requests that are served. */
import type { Pace } from '@svc/contracts/ports/pace'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { MemoryTextStore } from '@svc/infra/text-store/memory/memory-text-store'
import { openFunded, openLedger } from '@svc/testing/ledger/open-ledger'
import { expect, test } from 'vitest'
import { type VerifySources, verifyLines } from './verify-lines.ts'

/** Only a verification that goes on from a position asks for evidence. */
const evidence = {} as VerifySources['evidence']

/** Notes while a step holds the loop. */
class WatchedPace implements Pace {
  isInStep = false
  async step<Result>(work: () => Result | PromiseLike<Result>): Promise<Result> {
    this.isInStep = true
    const result = work()
    this.isInStep = false
    return await result
  }
}

test('looks at the texts of a page within the pace, as it looks at the events', async () => {
  const store = new MemoryEventStore()
  const texts = new MemoryTextStore()
  await openFunded(await openLedger({ store, texts }), 1n)
  const pace = new WatchedPace()
  const looks: boolean[] = []
  const watched = {
    find(words: ReadonlySet<string>) {
      looks.push(pace.isInStep)
      return texts.find(words)
    },
  }
  const sources = { store, texts: watched, pace, densePositions: true, evidence }
  for await (const _ of verifyLines(sources));
  expect(looks).toEqual([true])
})
