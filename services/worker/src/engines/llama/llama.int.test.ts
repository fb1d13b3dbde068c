import { describe, expect, it } from 'vitest'
import { chooseSchedule } from '../../prefix-cache/choose-schedule.ts'
import { RuntimeWatch } from '../../process/runtime-watch.ts'
import { describeEngine } from '../engine.suite.ts'
import { DEMO_MODEL, type Engine } from '../engine.ts'
import { openLlama } from './llama.ts'

// Several threads compute prompts in larger chunks than one does.
describe.each([1, 2])('with threads: %i', (threads) => {
  describeEngine('llama.cpp', {
    open: () => opened(threads),
    unreadable: 'root ::= none\n',
    grammar: { gbnf: 'root ::= "yes"\n', text: 'yes' },
  })

  it('the memory of prompts can be cut after any token', async () => {
    const engine = await opened(threads)
    const { schedule, reason } = await chooseSchedule(engine).finally(() => engine.dispose())
    expect({ name: schedule.name, reason }).toEqual({ name: 'any-token', reason: null })
    expect(schedule.batches.long.batchEnd(0, 1_000)).toBe(threads === 1 ? 64 : 128)
  })
})

async function opened(threads: number): Promise<Engine> {
  const { engine } = await openLlama(
    {
      model: DEMO_MODEL,
      modelsFolder: '',
      gpu: 'off',
      sequences: 2,
      threads,
      contextSize: 1024,
      contextSizeMax: 1024,
    },
    { log: () => {}, watch: new RuntimeWatch() },
  )
  return engine
}
