import { MemoryPrefixStore } from '@svc/infra/prefix-store/memory/memory-prefix-store'
import { eventually } from '@svc/testing/eventually'
import { describe, expect, it, vi } from 'vitest'
import { LONG_PROMPT, request, run, scriptedWorker } from '../../../testing/scripted-worker.ts'
import type { Batch, ScriptedEngine } from '../../engines/scripted/scripted-engine.ts'

const ANYWHERE = { cutsAnywhere: true, chunkTokens: 64 }

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

  it('is computed in batches that begin anywhere, where its memory can be cut anywhere', async () => {
    const { scheduler, engine } = scriptedWorker({ ...ANYWHERE, answer: 'a' })
    await run(scheduler, request('x'.repeat(300)))
    // The last 43 tokens are few enough to go with the batch before them.
    expect(chunks(engine)).toEqual([64, 128, 192, 256, 299])
    const forked = await run(scheduler, request(`${'x'.repeat(77)}${'y'.repeat(223)}`))
    expect(forked.meter).toMatchObject({
      inputTokens: 223,
      cachedInputTokens: 77,
      cache: { schedule: 'any-token', reusedTokens: 77, blocks: 2, evaluatedTokens: 223 },
    })
    expect(chunks(engine).slice(5)).toEqual([141, 205, 299])
  })

  it('is reused up to any fork when others have its sequence, and by no other tenant', async () => {
    const { scheduler, alarms } = scriptedWorker({ ...ANYWHERE, answer: 'a' })
    const earlier = Array.from({ length: 60 }, (_, line) => `line ${line}. `).join('')
    await run(scheduler, request(earlier))
    for (const tokens of [33, 77, 95, 96, 300, 449]) {
      await run(scheduler, request('z'.repeat(50)))
      const prompt = `${earlier.slice(0, tokens)}${'!'.repeat(100)}`
      const forked = await run(scheduler, request(prompt))
      expect(forked.meter).toMatchObject({
        inputTokens: 100,
        cachedInputTokens: tokens,
        cache: { reusedTokens: tokens, blocks: Math.floor(tokens / 32), source: 'l1' },
      })
      const others = await run(scheduler, request(prompt, { tenant: `of ${tokens}` }))
      expect(others.meter).toMatchObject({ cachedInputTokens: 0 })
    }
    expect(alarms).toEqual([])
  })

  it('that is repeated costs its last token alone, wherever the rest is', async () => {
    const l2 = new MemoryPrefixStore({ bytesMax: 1024 * 1024 })
    const one = scriptedWorker({ ...ANYWHERE, answer: 'a' }, 8, { l2 })
    const prompt = 'abcdefg '.repeat(40)
    const told = { inputTokens: 1, cachedInputTokens: prompt.length - 1 }
    await run(one.scheduler, request(prompt))
    const live = await run(one.scheduler, request(prompt))
    expect(live.meter).toMatchObject({ ...told, cache: { source: 'l1', evaluatedTokens: 1 } })
    await run(one.scheduler, request('another'))
    const near = await run(one.scheduler, request(prompt))
    expect(near.meter).toMatchObject({ ...told, cache: { source: 'l1', evaluatedTokens: 1 } })
    await eventually(() => expect(l2.usage().blocks).toBe(Math.ceil((prompt.length - 1) / 32) + 1))
    const two = scriptedWorker({ ...ANYWHERE, answer: 'a' }, 8, { l2 })
    const far = await run(two.scheduler, request(prompt))
    expect(far.meter).toMatchObject({ ...told, cache: { source: 'l2', evaluatedTokens: 1 } })
    expect([...one.alarms, ...two.alarms]).toEqual([])
  })

  it('that is short is computed as it is, and shares with short ones only', async () => {
    const batches: Batch[] = []
    const batchMark = (batch: Batch) => {
      batches.push(batch)
      return 0
    }
    const { scheduler, alarms } = scriptedWorker({ ...ANYWHERE, answer: 'a', batchMark })
    const cachedOf = async (length: number) => {
      batches.length = 0
      const { meter } = await run(scheduler, request('x'.repeat(length)))
      expect(meter?.inputTokens).toBe(length - (meter?.cachedInputTokens ?? 0))
      return { cached: meter?.cachedInputTokens, rows: batches[0]?.rows }
    }
    expect(await cachedOf(22)).toEqual({ cached: 0, rows: 24 })
    // A batch of its last token alone draws.
    expect(await cachedOf(22)).toEqual({ cached: 21, rows: 1 })
    expect(await cachedOf(33)).toEqual({ cached: 21, rows: 12 })
    expect(await cachedOf(34)).toEqual({ cached: 0, rows: 64 })
    expect(await cachedOf(70)).toEqual({ cached: 33, rows: 64 })
    expect(await cachedOf(33)).toEqual({ cached: 32, rows: 1 })
    expect(alarms).toEqual([])
  })

  it('leaves a sequence to the conversation that it holds, where another begins alike', async () => {
    const restore = vi.fn()
    const { scheduler } = scriptedWorker({ ...ANYWHERE, answer: 'a', sequences: 2, restore })
    const [one, other] = ['is it red? ', 'is it blue, or of another colour? '].map(
      (question) => `${'be kind. '.repeat(20)}${question.repeat(30)}`,
    )
    await run(scheduler, request(`${one}`))
    await run(scheduler, request(`${other}`))
    restore.mockClear()
    for (const prompt of [other, one]) {
      const { meter } = await run(scheduler, request(`${prompt} a. And now?`))
      expect(meter?.cachedInputTokens).toBe((prompt?.length ?? 0) - 1)
    }
    // Each went on in its own sequence: nothing of them was brought back from memory.
    expect(restore).not.toHaveBeenCalled()
  })

  describe('where nothing is kept in memory', () => {
    const l1 = () => new MemoryPrefixStore({ bytesMax: 0 })
    const conversation = (about: string) => `${about} is asked about. `.repeat(20)

    it('goes on in the sequence that holds the most of it', async () => {
      const script = { ...ANYWHERE, answer: 'a', sequences: 2 }
      const { scheduler } = scriptedWorker(script, 8, { l1: l1() })
      const [one, other] = ['red', 'blue'].map(conversation)
      await run(scheduler, request(`${one}`))
      await run(scheduler, request(`${other}`))
      for (const prompt of [other, one]) {
        const { meter } = await run(scheduler, request(`${prompt}And now?`))
        expect(meter?.cachedInputTokens).toBe((prompt?.length ?? 0) - 1)
      }
      // Also where that is less than half of what it holds.
      const { meter } = await run(scheduler, request(`${other?.slice(0, 100)}!`))
      expect(meter?.cachedInputTokens).toBe(100)
    })

    it('takes an empty sequence before one that holds a conversation', async () => {
      const script = { ...ANYWHERE, answer: 'a', sequences: 2 }
      const { scheduler } = scriptedWorker(script, 8, { l1: l1() })
      const one = conversation('red')
      await run(scheduler, request(one))
      // Of a prompt of one token nothing can be reused: its sequence is empty, and used later.
      await run(scheduler, request('?'))
      await run(scheduler, request(conversation('blue')))
      const { meter } = await run(scheduler, request(`${one}And now?`))
      expect(meter?.cachedInputTokens).toBe(one.length - 1)
    })

    it('takes the sequence that nobody has used for longest', async () => {
      const script = { ...ANYWHERE, answer: 'a', sequences: 2 }
      const { scheduler } = scriptedWorker(script, 8, { l1: l1() })
      const [one, other] = ['red', 'blue'].map(conversation)
      await run(scheduler, request(`${one}`))
      await run(scheduler, request(`${other}`))
      await run(scheduler, request(`${one}And now?`))
      await run(scheduler, request(conversation('green')))
      const { meter } = await run(scheduler, request(`${one}And now? a.`))
      expect(meter?.cachedInputTokens).toBe(`${one}And now?`.length - 1)
    })
  })

  it('goes on from the whole of the last one, and reads its answer again', async () => {
    const { scheduler } = scriptedWorker({ ...ANYWHERE, answer: 'so it is' })
    const first = 'what is it? '.repeat(10)
    await run(scheduler, request(first))
    const { meter } = await run(scheduler, request(`${first}so it is. And now? `))
    expect(meter).toMatchObject({ cachedInputTokens: first.length - 1, inputTokens: 20 })
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
