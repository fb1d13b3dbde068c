/** To move a prompt's blocks takes as long as to answer a short one: nobody else waits for it. */

import { MemoryPrefixStore } from '@svc/infra/prefix-store/memory/memory-prefix-store'
import { eventually } from '@svc/testing/eventually'
import { describe, expect, it } from 'vitest'
import { LONG_PROMPT, request, run, scriptedWorker } from '../../../testing/scripted-worker.ts'

/** Work that goes on until it is let go. */
function heldWork() {
  const begun = Promise.withResolvers<void>()
  const { promise, resolve: letGo } = Promise.withResolvers<void>()
  const work = () => {
    begun.resolve()
    return promise
  }
  return { begun: begun.promise, letGo, work }
}

const memory = () => new MemoryPrefixStore({ bytesMax: 1024 * 1024 })
const keeps = (l1: MemoryPrefixStore, blocks: number) =>
  eventually(() => expect(l1.usage().blocks).toBe(blocks))

describe('the model computes for others', () => {
  it('while blocks of a prompt are taken apart', async () => {
    const l1 = memory()
    const { begun, letGo, work } = heldWork()
    const { scheduler } = scriptedWorker({ sequences: 2, takeApart: work }, 8, { l1 })
    await run(scheduler, request(LONG_PROMPT))
    await begun
    await run(scheduler, request('another', { tenant: 'other' }))
    expect(l1.usage().blocks).toBe(0)
    letGo()
    await keeps(l1, 2)
  })

  it('while blocks of a prompt are put together', async () => {
    const l1 = memory()
    await run(scriptedWorker({}, 8, { l1 }).scheduler, request(LONG_PROMPT))
    await keeps(l1, 2)
    const { begun, letGo, work } = heldWork()
    const { scheduler } = scriptedWorker({ sequences: 2, restore: work }, 8, { l1 })
    const restored = run(scheduler, request(LONG_PROMPT))
    await begun
    await run(scheduler, request('another', { tenant: 'other' }))
    letGo()
    expect((await restored).meter?.cachedInputTokens).toBe(256)
  })
})
