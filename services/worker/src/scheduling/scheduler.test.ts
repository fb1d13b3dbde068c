import { describe, expect, it, vi } from 'vitest'
import { LONG_PROMPT, request, run, scriptedWorker } from '../../testing/scripted-worker.ts'
import { bytes } from '../engines/scripted/byte-vocabulary.ts'
import { WorkerRefusal } from '../protocol/refusal.ts'

const gate = () => Promise.withResolvers<void>()

describe('a request', () => {
  it('ends with its meter and the reason', async () => {
    const { scheduler } = scriptedWorker({ answer: 'héllo' })
    const { text, meter, last } = await run(scheduler, request('hi'))
    expect(text).toBe('héllo')
    expect(meter).toMatchObject({ inputTokens: 2, cachedInputTokens: 0, outputTokens: 6 })
    expect(last).toEqual({ type: 'done', finishReason: 'stop', stopText: null })
  })

  it('gets an event for every token, with a running count', async () => {
    const { scheduler } = scriptedWorker({ answer: 'hé' })
    const { events } = await run(scheduler, request('hi'))
    const tokens = events.filter((event) => event.type === 'token')
    expect(tokens.map((event) => [event.text, event.outputTokens])).toEqual([
      ['h', 1],
      ['', 2],
      ['é', 3],
    ])
  })

  it('ends at its limit of output tokens, with what was held back', async () => {
    const { scheduler } = scriptedWorker({ answer: 'one END' })
    const limited = request('hi', { maxOutputTokens: 6, stop: ['END'] })
    const { text, meter, last } = await run(scheduler, limited)
    expect([text, meter?.outputTokens]).toEqual(['one EN', 6])
    expect(last).toEqual({ type: 'done', finishReason: 'length', stopText: null })
  })

  it('ends at a stop text, which is counted but not shown', async () => {
    const { scheduler } = scriptedWorker({ answer: 'one END two' })
    const { text, meter, last } = await run(scheduler, request('hi', { stop: ['END'] }))
    expect([text, meter?.outputTokens]).toEqual(['one ', 7])
    expect(last).toEqual({ type: 'done', finishReason: 'stop', stopText: 'END' })
  })

  it('is refused when prompt and output do not fit, and when they just fit is served', async () => {
    const { scheduler } = scriptedWorker({ answer: 'abcdef', contextSize: 16 })
    const fits = request('x'.repeat(12), { maxOutputTokens: 4 })
    const tooLong = request('x'.repeat(12), { maxOutputTokens: 5 })
    expect(() => scheduler.submit(tooLong, async () => {})).toThrow(WorkerRefusal)
    expect((await run(scheduler, fits)).text).toBe('abcd')
  })

  it('is refused with a token that is not in the vocabulary, or an id that is in use', async () => {
    const { scheduler } = scriptedWorker()
    const foreign = request('hi', { tokens: [1, 1_000_000] })
    expect(() => scheduler.submit(foreign, async () => {})).toThrow(/vocabulary/)
    const first = request('hi')
    const ended = scheduler.submit(first, async () => {})
    expect(() => scheduler.submit(first, async () => {})).toThrow(/is running/)
    await ended
  })
})

describe('an interruption', () => {
  it('ends a waiting request with an empty meter', async () => {
    const hold = gate()
    const { scheduler } = scriptedWorker({ step: () => hold.promise })
    const first = run(scheduler, request('hi'))
    const waiting = request('hi')
    const second = run(scheduler, waiting)
    expect(scheduler.state()).toMatchObject({ queued: 1, running: 1 })
    expect(scheduler.cancel(waiting.requestId)).toBe(true)
    const { meter, last } = await second
    expect(meter).toMatchObject({ inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 })
    expect(last).toEqual({ type: 'done', finishReason: 'cancelled', stopText: null })
    hold.resolve()
    await first
  })

  it('ends a prompt at the next chunk and counts what was computed', async () => {
    const asked = request('x'.repeat(500))
    const { scheduler } = scriptedWorker({ step: () => void scheduler.cancel(asked.requestId) })
    const { meter, last } = await run(scheduler, asked)
    expect(meter).toMatchObject({ inputTokens: 128, outputTokens: 0 })
    expect(meter?.cache.evaluatedTokens).toBe(128)
    expect(last).toMatchObject({ finishReason: 'cancelled' })
  })

  it('ends an answer at the next token and counts it', async () => {
    const asked = request('hi')
    const { scheduler } = scriptedWorker({
      answer: 'abcdef',
      step: ({ tokens }) => void (tokens.length === 4 && scheduler.cancel(asked.requestId)),
    })
    const { text, meter, last } = await run(scheduler, asked)
    expect([text, meter?.outputTokens]).toEqual(['abc', 3])
    expect(last).toMatchObject({ finishReason: 'cancelled' })
  })

  it('by the time limit is an error after the meter', async () => {
    const hold = gate()
    const { scheduler } = scriptedWorker({ step: () => hold.promise })
    const first = run(scheduler, request('hi'))
    const { meter, last } = await run(scheduler, request('hi', { timeLimitMs: 1 }))
    expect(meter).toMatchObject({ inputTokens: 0 })
    expect(last).toMatchObject({ type: 'error', code: 'time_limit' })
    hold.resolve()
    await first
  })

  it.each(['when the batch fails', 'while the prompt is computed again'])(
    'gives out what was held back, also %s',
    async (moment) => {
      const asked = request('hi', { stop: ['abcX'] })
      const { scheduler } = scriptedWorker({
        answer: 'abcdef',
        step({ alone, kind, tokens }) {
          const fails = kind === 'draw' && !alone && tokens.length === 5
          const interrupts = moment === 'when the batch fails' ? fails : tokens.length === 4
          if (interrupts && (fails || kind === 'prefill')) scheduler.cancel(asked.requestId)
          if (fails) throw new Error('Eval has failed')
        },
      })
      const { text, meter, last } = await run(scheduler, asked)
      expect([text, meter?.outputTokens]).toEqual(['abc', 3])
      expect(last).toMatchObject({ finishReason: 'cancelled' })
    },
  )

  it('of an unknown request says so', () => {
    expect(scriptedWorker().scheduler.cancel('nobody')).toBe(false)
  })
})

describe('a failing batch', () => {
  it('ends the guilty request with an error and lets the innocent one go on where it was', async () => {
    let shared = 0
    const { scheduler, engine } = scriptedWorker({
      answer: 'abcdef',
      sequences: 2,
      step: ({ alone, tokens }) => {
        const guilty = tokens[0] === bytes('g')[0]
        if (!alone && tokens.length > 4) shared += 1
        if (tokens.length > 4 && (guilty || (!alone && shared < 3)))
          throw new Error('Eval has failed')
      },
    })
    const [guilty, innocent] = await Promise.all([
      run(scheduler, request('gg')),
      run(scheduler, request('ii')),
    ])
    expect(guilty.last).toMatchObject({ type: 'error', code: 'failed' })
    expect(guilty.meter).toMatchObject({ inputTokens: 2, outputTokens: 3 })
    expect(innocent.text).toBe('abcdef')
    expect(innocent.meter).toMatchObject({ inputTokens: 2, outputTokens: 6 })
    expect(engine.replaced).toHaveLength(3)
    expect(scheduler.state()).toMatchObject({ running: 0, ended: 2 })
  })

  it('leaves no sequence lent', async () => {
    let failing = true
    const { scheduler } = scriptedWorker({
      answer: 'a',
      step: () => {
        if (failing) throw new Error('Eval has failed')
      },
    })
    const failed = await run(scheduler, request('hi'))
    failing = false
    const served = await run(scheduler, request('hi'))
    expect([failed.last?.type, served.text]).toEqual(['error', 'a'])
  })
})

describe('the scheduler', () => {
  it('refuses more requests than may wait', async () => {
    const hold = gate()
    const { scheduler } = scriptedWorker({ step: () => hold.promise }, 2)
    const taken = [1, 2, 3].map(() => run(scheduler, request('hi')))
    expect(() => scheduler.submit(request('hi'), async () => {})).toThrow(
      expect.objectContaining({ code: 'queue_full' }),
    )
    hold.resolve()
    await Promise.all(taken)
    expect(scheduler.state()).toMatchObject({ queued: 0, running: 0, ended: 3 })
  })

  it('turns away the newest of the longest line when all lines are full, whoever comes', async () => {
    const hold = gate()
    const { scheduler } = scriptedWorker({ answer: 'a', step: () => hold.promise }, 3)
    const many = [1, 2, 3, 4].map(() => run(scheduler, request('hi', { tenant: 'many' })))
    const one = run(scheduler, request('hi', { tenant: 'one' }))
    const { last } = await (many[3] as ReturnType<typeof run>)
    expect(last).toMatchObject({ type: 'error', code: 'queue_full' })
    hold.resolve()
    const served = await Promise.all([...many.slice(0, 3), one])
    expect(served.map((each) => each.text)).toEqual(['a', 'a', 'a', 'a'])
  })

  it('drains: what was taken ends, what comes is refused', async () => {
    const hold = gate()
    const { scheduler } = scriptedWorker({ answer: 'a', step: () => hold.promise })
    const taken = run(scheduler, request('hi'))
    const drained = scheduler.drain()
    expect(() => scheduler.submit(request('hi'), async () => {})).toThrow(
      expect.objectContaining({ code: 'draining' }),
    )
    hold.resolve()
    await drained
    expect((await taken).text).toBe('a')
  })

  it('gives back turn and sequence when its own work, or a request, is lent none', async () => {
    const { scheduler, cache } = scriptedWorker({ answer: 'a', sequences: 1 })
    const lookUp = vi.spyOn(cache, 'lookUp')
    lookUp.mockRejectedValueOnce(new Error('a defect'))
    const work = () => scheduler.withSequence(async ({ sequence }) => sequence.length)
    await expect(work()).rejects.toThrow('a defect')
    lookUp.mockRejectedValueOnce(new Error('a defect'))
    expect((await run(scheduler, request('hello'))).last).toMatchObject({ type: 'error' })
    expect(scheduler.state()).toMatchObject({ running: 0, queued: 0 })
    expect(await work()).toBe(0)
    expect((await run(scheduler, request('hello'))).text).toBe('a')
  })

  it('adds up what it metered', async () => {
    const { scheduler } = scriptedWorker({ answer: 'abc' })
    await run(scheduler, request(LONG_PROMPT))
    await run(scheduler, request(`${LONG_PROMPT}!`))
    expect(scheduler.state().totals).toEqual({
      inputTokens: LONG_PROMPT.length + LONG_PROMPT.length + 1 - 256,
      cachedInputTokens: 256,
      outputTokens: 6,
    })
  })
})
