import { describe, expect, it } from 'vitest'
import { LONG_PROMPT, request, run, scriptedWorker } from '../../../testing/scripted-worker.ts'
import type { ScriptedEngine } from '../../engines/scripted/scripted-engine.ts'

const chunks = (engine: ScriptedEngine) =>
  engine.steps.filter((step) => step.kind === 'prefill').map((step) => step.tokens.length)

describe('a prompt', () => {
  it('is computed in chunks that end at multiples of 128, its last token alone', async () => {
    const { scheduler, engine } = scriptedWorker()
    await run(scheduler, request('x'.repeat(300)))
    expect(chunks(engine)).toEqual([128, 256, 299])
    expect(engine.steps.at(-1)).toMatchObject({ kind: 'draw' })
  })

  it('is computed in smaller chunks where the engine has those, and kept in blocks', async () => {
    const { scheduler, engine } = scriptedWorker({ chunkTokens: 64 })
    await run(scheduler, request('x'.repeat(300)))
    expect(chunks(engine)).toEqual([64, 128, 192, 256, 299])
    const again = await run(scheduler, request(`${'x'.repeat(300)} and more`))
    expect(again.meter).toMatchObject({ cachedInputTokens: 256, cache: { blocks: 2 } })
  })

  it('is not computed again as far as whole blocks of it are there', async () => {
    const { scheduler, engine } = scriptedWorker({ answer: 'a' })
    const first = await run(scheduler, request(LONG_PROMPT))
    const second = await run(scheduler, request(`${LONG_PROMPT} and more`))
    expect(first.meter?.cachedInputTokens).toBe(0)
    // The third block held the prompt's last token, which was not computed in a chunk.
    expect(second.meter).toMatchObject({
      inputTokens: LONG_PROMPT.length + 9 - 256,
      cachedInputTokens: 256,
      cache: { blocks: 2, source: 'l1', evaluatedTokens: LONG_PROMPT.length + 9 - 256 },
    })
    expect(second.meter?.cache.lastBlockHash).toMatch(/^[0-9a-f]{32}$/)
    expect(engine.steps.filter((step) => step.tokens.length <= 256)).toHaveLength(2)
  })

  it('is never served from the tokens of another tenant', async () => {
    const { scheduler } = scriptedWorker({ answer: 'a' })
    await run(scheduler, request(LONG_PROMPT))
    const other = await run(scheduler, request(LONG_PROMPT, { tenant: 'other' }))
    const again = await run(scheduler, request(LONG_PROMPT))
    expect(other.meter?.cachedInputTokens).toBe(0)
    expect(again.meter?.cachedInputTokens).toBe(256)
  })

  it('that is wholly known is still computed from the last block on', async () => {
    const { scheduler } = scriptedWorker({ answer: 'a' })
    await run(scheduler, request('x'.repeat(257)))
    const again = await run(scheduler, request('x'.repeat(256)))
    expect(again.meter).toMatchObject({ inputTokens: 128, cachedInputTokens: 128 })
  })

  it('that the runtime counted lower or higher costs the cheaper reading', async () => {
    for (const [extraEvaluated, inputTokens] of [
      [7, 300],
      [-7, 279],
    ] as const) {
      const { scheduler, alarms } = scriptedWorker({ extraEvaluated })
      const { meter } = await run(scheduler, request('x'.repeat(300)))
      expect(meter).toMatchObject({ inputTokens, cachedInputTokens: 300 - inputTokens })
      expect(alarms).toContainEqual(expect.stringContaining('prompt token counts differ'))
    }
  })
})
