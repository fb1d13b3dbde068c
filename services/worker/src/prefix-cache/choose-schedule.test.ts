import { describe, expect, it } from 'vitest'
import { type Batch, type Script, scriptedEngine } from '../engines/scripted/scripted-engine.ts'
import { chooseSchedule } from './choose-schedule.ts'

/** A batch of which more than half is filling. */
const filled = ({ tokens, rows }: Batch) => (2 * tokens < rows ? 1 : 0)
const CELLS_AT_ONCE = 256
const reach = ({ from, rows }: Batch) => Math.ceil((from + rows) / CELLS_AT_ONCE)
/** What depends on nothing but this in batches of so few rows. */
const ofShort = (mark: (batch: Batch) => number) => (batch: Batch) =>
  batch.rows < 64 ? mark(batch) : 0

async function chosen(script: Script) {
  const engine = scriptedEngine({ chunkTokens: 64, ...script })
  const { schedule, reason } = await chooseSchedule(engine)
  expect(engine.schedule).toBe(schedule)
  const { name, shortTokensMax } = schedule
  return { name, shortTokensMax, reason, held: engine.sequences[0]?.length }
}

describe('the schedule of a model', () => {
  it('cuts anywhere where the bytes of a prompt do not depend on its batches', async () => {
    expect(await chosen({ cutsAnywhere: true })).toEqual({
      name: 'any-token',
      shortTokensMax: 32,
      reason: null,
      held: 0,
    })
  })

  it('may leave other bytes of short prompts than of long ones', async () => {
    const batchMark = ofShort(() => 1)
    expect(await chosen({ cutsAnywhere: true, batchMark })).toMatchObject({
      name: 'any-token',
      shortTokensMax: 32,
      reason: null,
    })
  })

  it.each<[string, Script]>([
    ['where a batch begins', { batchMark: ofShort(({ from }) => from) }],
    ['its rows', { batchMark: ofShort(({ rows }) => rows % 16) }],
    ['what fills it up', { batchMark: ofShort(filled) }],
  ])('has only long prompts where bytes of short ones depend on %s', async (_what, script) => {
    expect(await chosen({ cutsAnywhere: true, ...script })).toEqual({
      name: 'any-token',
      shortTokensMax: 0,
      held: 0,
      reason: 'the bytes of a short prompt depend on its batches',
    })
  })

  it('is the one that cuts less where no other is known', async () => {
    const name = 'canonical-128'
    expect(await chosen({})).toEqual({ name, shortTokensMax: 0, reason: null, held: 0 })
  })

  it.each<[string, Script, RegExp]>([
    ['bytes depend on where a batch begins', { batchMark: ({ from }) => from }, /on its batches/],
    ['bytes depend on its rows', { batchMark: ({ rows }) => rows % 8 }, /on its batches/],
    ['rows that fill it up are seen', { batchMark: filled }, /on its batches/],
    ['bytes depend on how many cells are looked at', { batchMark: reach }, /on its batches/],
    ['the model cannot be cut back', { canReusePrefix: false }, /cannot go on from a part/],
    ['the context is too small', { contextSize: 256 }, /too small to try it out/],
    [
      'the model fails',
      {
        step() {
          throw new Error('the batch failed')
        },
      },
      /the batch failed/,
    ],
  ])('is the one that cuts less, and says why, where %s', async (_what, script, reason) => {
    expect(await chosen({ cutsAnywhere: true, ...script })).toEqual({
      name: 'canonical-128',
      shortTokensMax: 0,
      held: 0,
      reason: expect.stringMatching(reason),
    })
  })
})
