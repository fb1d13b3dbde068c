import { describeEngine } from '../engine.suite.ts'
import { scriptedEngine } from './scripted-engine.ts'

const ANSWER = 'yes'

describeEngine('that follows a script', {
  open: async () =>
    scriptedEngine({ sequences: 2, answer: ANSWER, mayBegin: (begun) => ANSWER.startsWith(begun) }),
  unreadable: 'bad',
  grammar: { gbnf: `root ::= "${ANSWER}"\n`, text: ANSWER },
})
