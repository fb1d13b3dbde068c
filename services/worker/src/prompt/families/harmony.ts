/**
 * gpt-oss, whose answers are messages on channels:
 *
 *     <|channel|>analysis<|message|>…<|end|><|start|>assistant        thinking, and then:
 *     <|channel|>commentary to=functions.f <|constrain|>json<|message|>{…}<|call|>
 *     <|channel|>final<|message|>…<|return|>
 *
 * A call ends the answer, so there is one at most.
 */
import { literal } from '../../grammar/grammar.ts'
import { HarmonyReader, harmonyMarkers } from '../reading/harmony-reader.ts'
import { anyOf } from './call-grammar.ts'
import type { Family } from './family.ts'
import { nativeTemplate } from './instructions.ts'

const { start, channel, message, end } = harmonyMarkers
const ASSISTANT = `${start}assistant`
const THINKING_OPEN = `${channel}analysis${message}`

export function harmony(): Family {
  return {
    name: 'harmony',
    controlMarkers: Object.values(harmonyMarkers),
    toTemplate: nativeTemplate({
      textBeforeCalls: 'own message',
      callsPerTurn: 'one',
      reasoningField: 'thinking',
    }),
    withoutThinking: `${THINKING_OPEN}${end}${ASSISTANT}`,
    callOpenings: [`${channel}commentary to=functions.`, ' to=functions.'],
    callGrammar(rules, tools) {
      const call = anyOf(rules, tools, ({ name, argumentsRule }) => {
        const recipient = literal(` to=functions.${name}`)
        const anyChannel = `"${channel}" ("commentary" | "analysis")`
        const header = `(${anyChannel} ${recipient} | ${recipient} ${anyChannel})`
        // Something has to part the recipient from the kind of content.
        const kind = `(" " | "<|constrain|>" | " <|constrain|>") "json"`
        return `${header} ${kind} "${message}" ${argumentsRule}`
      })
      return `"${ASSISTANT}"? ${call}`
    },
    answerPrefixGrammar: `"${ASSISTANT}"? "${channel}final" ((" " | "<|constrain|>" | " <|constrain|>") "json")? "${message}"`,
    answerReader: (options) => new HarmonyReader(options),
    opensThinking: (promptTail) => promptTail.endsWith(THINKING_OPEN),
    thinking: {
      open: THINKING_OPEN,
      close: end,
      answer: `${ASSISTANT}${channel}final${message}`,
    },
  }
}
