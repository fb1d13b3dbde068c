import { describe, expect, it } from 'vitest'
import { type Script, scriptedEngine } from '../engines/scripted/scripted-engine.ts'
import { testReuse } from './self-test.ts'

const test = (script: Script) => {
  let ms = 0
  return testReuse(scriptedEngine(script), () => {
    ms += 64
    return ms
  })
}

describe('the self-test of a model', () => {
  it('tells the size of a block and how fast prompts are computed', async () => {
    expect(await test({ answer: 'some text' })).toEqual({
      works: true,
      tokenBytes: 1,
      computeTokensPerMs: 256 / 64,
      putsAside: true,
    })
  })

  it.each<[string, Script]>([
    ['cannot be copied', { copy: () => fail('no space left on device') }],
    ['cannot be put back', { load: () => fail('the state is of another kind') }],
    ['goes on otherwise', { forgetsOnLoad: true }],
  ])('finds that an answer %s, and that the cache works', async (_what, script) => {
    expect(await test({ answer: 'some text', ...script })).toMatchObject({
      works: true,
      putsAside: false,
    })
  })

  it.each<[string, Script, RegExp]>([
    ['a model that cannot be cut back', { canReusePrefix: false }, /this kind of model/],
    ['a context that two blocks do not fit', { contextSize: 256 }, /256 tokens is too small/],
    [
      'a state that cannot be put back',
      {
        restore() {
          throw new Error('unknown layout')
        },
      },
      /unknown layout/,
    ],
    ['other bytes after they were put back', { forgetsOnRestore: true }, /have other bytes/],
    ['another answer after they were put back', { answersOtherwise: true }, /goes on otherwise/],
    [
      'a model that fails',
      {
        step() {
          throw new Error('the batch failed')
        },
      },
      /the batch failed/,
    ],
  ])('finds %s', async (_what, script, reason) => {
    expect(await test({ answer: 'some text', ...script })).toEqual({
      works: false,
      reason: expect.stringMatching(reason),
    })
  })
})

function fail(message: string): never {
  throw new Error(message)
}
