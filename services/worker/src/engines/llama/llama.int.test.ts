import { RuntimeWatch } from '../../process/runtime-watch.ts'
import { describeEngine } from '../engine.suite.ts'
import { DEMO_MODEL } from '../engine.ts'
import { openLlama } from './llama.ts'

describeEngine('llama.cpp', {
  async open() {
    const { engine } = await openLlama(
      {
        ...{ model: DEMO_MODEL, modelsFolder: '', gpu: 'off', sequences: 2, threads: 1 },
        ...{ contextSize: 1024, contextSizeMax: 1024 },
      },
      { log: () => {}, watch: new RuntimeWatch() },
    )
    return engine
  },
  unreadable: 'root ::= none\n',
  grammar: { gbnf: 'root ::= "yes"\n', text: 'yes' },
})
