import { describe, expect, it } from 'vitest'
import { type Script, scriptedEngine } from '../engines/scripted/scripted-engine.ts'
import type { Findings } from '../process/findings.ts'
import { testModel } from './model-test.ts'

const CONFIRMING_TOKENS = 64
/** Of a short prompt, where those have batches of their own. */
const SHORT_TOKENS = 12

/** Starts on one machine, one after the other. */
function machine() {
  let kept: unknown
  const findings: Findings = {
    find: async () => kept,
    async keep(_subject, finding) {
      kept = JSON.parse(JSON.stringify(finding))
    },
  }
  return {
    kept: () => kept,
    damage: (finding: unknown) => {
      kept = finding
    },
    async start(script: Script = {}) {
      const engine = scriptedEngine({
        chunkTokens: 64,
        cutsAnywhere: true,
        answer: 'so',
        ...script,
      })
      let ms = 0
      const tested = await testModel(engine, { subject: 'a model' }, findings, () => {
        ms += 1
        return ms
      })
      expect(engine.schedule).toBe(tested.chosen.schedule)
      expect(engine.sequences[0]?.length).toBe(0)
      const { chosen, reuse, remembered } = tested
      const { name, shortTokensMax } = chosen.schedule
      return { name, shortTokensMax, reuse, remembered, computed: engine.batches.promptTokens }
    },
  }
}

describe('what a worker found out about its model', () => {
  it.each<[string, number, Script]>([
    ['any-token', 32, {}],
    ['any-token', 0, { batchMark: ({ from, rows }) => (rows < 64 ? from : 0) }],
    ['canonical-128', 0, { batchMark: ({ from }) => (from < 128 ? 0 : from % 64) }],
  ])(
    'is confirmed by the next start with a batch of each kind: %s, %i',
    async (name, short, script) => {
      const { start } = machine()
      const first = await start(script)
      expect(first).toMatchObject({ name, shortTokensMax: short, reuse: { works: true } })
      expect(first.remembered).toBe(false)
      const second = await start(script)
      const computed = CONFIRMING_TOKENS + (short === 0 ? 0 : SHORT_TOKENS)
      expect(second).toEqual({ ...first, remembered: true, computed })
    },
  )

  it.each<[string, Script, object]>([
    [
      'leaves other bytes',
      { batchMark: ({ from }) => 1 + from },
      { name: 'canonical-128', reuse: { works: false } },
    ],
    ['cannot be put back any more', { forgetsOnRestore: true }, { reuse: { works: false } }],
    [
      'leaves other bytes of short prompts',
      { batchMark: ({ from, rows }) => (rows < 64 ? 1 + from : 0) },
      { name: 'any-token', shortTokensMax: 0 },
    ],
    ['has no such schedule any more', { cutsAnywhere: false }, { name: 'canonical-128' }],
  ])('is found out anew where the model %s', async (_what, script, found) => {
    const { start } = machine()
    expect(await start()).toMatchObject({ name: 'any-token', remembered: false })
    expect(await start(script)).toMatchObject({ ...found, remembered: false })
  })

  it.each<[string, Script]>([
    ['the model fails', { step: () => fail('the batch failed') }],
    ['nothing can be put back', { restore: () => fail('no space left on device') }],
    ['answers cannot be put aside', { copy: () => fail('no space left on device') }],
  ])('is not remembered where %s: the next start may do better', async (_what, script) => {
    const { start, kept } = machine()
    expect(await start(script)).toMatchObject({ remembered: false })
    expect(kept()).toBeUndefined()
    expect(await start()).toMatchObject({ name: 'any-token', reuse: { works: true } })
  })

  it.each([
    ['of another form', { schedule: 'any-token' }],
    ['of a schedule that nobody knows', { schedule: 'none', digest: '', tokenBytes: 1 }],
    [
      'of short prompts of another length',
      {
        schedule: 'any-token',
        shortTokensMax: 8,
        reason: null,
        digest: '',
        tokenBytes: 1,
        computeTokensPerMs: 1,
      },
    ],
    ['text', 'any-token'],
  ])('is found out anew where what is kept is %s', async (_what, finding) => {
    const { start, damage } = machine()
    damage(finding)
    expect(await start()).toMatchObject({ name: 'any-token', remembered: false })
    expect(await start()).toMatchObject({ name: 'any-token', remembered: true })
  })
})

function fail(message: string): never {
  throw new Error(message)
}
