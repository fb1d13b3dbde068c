/** Whatever is sent, forgotten, shared and cancelled: the counts are true, and nothing leaks. */
import { MemoryPrefixStore } from '@svc/infra/prefix-store/memory/memory-prefix-store'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BLOCK_TOKENS, request, run, scriptedWorker } from '../../testing/scripted-worker.ts'

const RUNS = 60
const TENANTS = ['a', 'b'] as const

/** A prompt made of a few parts that other prompts have too. */
const prompt = fc
  .array(fc.tuple(fc.constantFrom('x', 'y'), fc.integer({ min: 1, max: 260 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.map(([letter, length]) => letter.repeat(length)).join(''))

const asked = fc.record({
  tenant: fc.constantFrom(...TENANTS),
  prompt,
  worker: fc.nat(1),
  /** Steps after which it is cancelled. */
  cancelAfter: fc.option(fc.nat(6)),
})

interface Asked {
  readonly tenant: string
  readonly prompt: string
  readonly worker: number
  readonly cancelAfter: number | null
}

/** Whether another request of the same tenant had these leading tokens, in whole blocks. */
function mayBeCached(one: Asked, all: readonly Asked[], tokens: number): boolean {
  const start = one.prompt.slice(0, tokens)
  return all.some(
    (each) =>
      each !== one &&
      each.tenant === one.tenant &&
      each.prompt.length > tokens &&
      each.prompt.startsWith(start),
  )
}

it('cached and computed tokens are the prompt, and only what the tenant sent is cached', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(asked, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
      fc.constantFrom(0, 3 * 1024, 1024 * 1024),
      fc.boolean(),
      fc.boolean(),
      async (rounds, bytesMax, isShared, cutsAnywhere) => {
        const l2 = isShared ? new MemoryPrefixStore({ bytesMax: 1024 * 1024 }) : null
        const [first, second] = [
          workerWith(bytesMax, l2, cutsAnywhere),
          workerWith(bytesMax, l2, cutsAnywhere),
        ]
        const workers = [first, second]
        const sent: Asked[] = []
        for (const round of rounds) {
          sent.push(...round)
          await Promise.all(
            round.map(async (one) => {
              const { meter, isWhole } = await (workers[one.worker] ?? first).answer(one)
              const cached = meter?.cachedInputTokens ?? -1
              const covered = cached + (meter?.inputTokens ?? -1)
              expect(cutsAnywhere ? 0 : cached % BLOCK_TOKENS).toBe(0)
              expect(cached === 0 || mayBeCached(one, sent, cached)).toBe(true)
              expect(isWhole ? covered : one.prompt.length).toBe(one.prompt.length)
              expect(covered).toBeLessThanOrEqual(one.prompt.length)
            }),
          )
        }
        for (const { scheduler } of workers) {
          await scheduler.drain()
          expect(scheduler.state()).toMatchObject({ running: 0, queued: 0, meterMismatches: 0 })
        }
      },
    ),
    { numRuns: RUNS },
  )
})

/** A worker that cancels each request after the steps that `cancels` names. */
function workerWith(bytesMax: number, l2: MemoryPrefixStore | null, cutsAnywhere: boolean) {
  const cancels = new Map<string, number>()
  const step = async () => {
    for (const [requestId, steps] of cancels) {
      if (steps === 0) scheduler.cancel(requestId)
      cancels.set(requestId, steps - 1)
    }
    await Promise.resolve()
  }
  const script = { answer: 'ok', sequences: 2, step, cutsAnywhere }
  const { scheduler } = scriptedWorker(script, 16, {
    l1: new MemoryPrefixStore({ bytesMax }),
    l2,
  })
  return {
    scheduler,
    async answer({ tenant, prompt, cancelAfter }: Asked) {
      const one = request(prompt, { tenant })
      if (cancelAfter !== null) cancels.set(one.requestId, cancelAfter)
      const { meter, last } = await run(scheduler, one)
      return { meter, isWhole: last?.type === 'done' && last.finishReason === 'stop' }
    },
  }
}
