/**
 * Hermes, Qwen, Granite 4 and many others on ChatML:
 *
 *     <tool_call>
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *     </tool_call>
 */
import {
  type CallSyntax,
  MORE_OF_CALL,
  MORE_OF_TAIL,
  mayBecome,
  whiteSpaceLength,
} from '../reading/call-syntax.ts'
import { jsonHead, jsonObjectEnd } from '../reading/json-call.ts'
import { TaggedAnswerReader } from '../reading/tagged-answer-reader.ts'
import { endsOpen, thinkingMarkers } from '../reading/thinking-reader.ts'
import { jsonCallRule, oneOrMore, spaceRule } from './call-grammar.ts'
import type { Family } from './family.ts'
import { nativeTemplate } from './instructions.ts'

const OPEN = '<tool_call>'
const CLOSE = '</tool_call>'

const syntax: CallSyntax = {
  openings: [OPEN],
  onlyFirst: false,
  head(text, callable) {
    const head = jsonHead(text, callable)
    return head.kind === 'more' ? MORE_OF_CALL : head
  },
  tail(text) {
    const object = jsonObjectEnd(text)
    if (object === 'more') return MORE_OF_TAIL
    const end = object ?? 0
    const close = end + whiteSpaceLength(text, end)
    const rest = text.slice(close)
    if (mayBecome(rest, CLOSE)) return MORE_OF_TAIL
    return { kind: 'done', end: rest.startsWith(CLOSE) ? close + CLOSE.length : end }
  },
}

export function hermes(chatTemplate: string): Family {
  const thinking = thinkingMarkers(chatTemplate)
  return {
    name: 'hermes',
    controlMarkers: [OPEN, CLOSE, thinking.open, thinking.close],
    toTemplate: nativeTemplate({}),
    withoutThinking: '',
    callOpenings: syntax.openings,
    callGrammar(rules, tools, { parallel }) {
      const space = spaceRule(rules)
      const call = jsonCallRule(rules, tools, 'arguments')
      const tagged = `"${OPEN}" ${space} ${call} ${space} "${CLOSE}"`
      return oneOrMore(rules.add('tagged-call', tagged), space, parallel)
    },
    answerPrefixGrammar: '',
    answerReader: (options) => new TaggedAnswerReader(syntax, thinking, options),
    opensThinking: (promptTail) => endsOpen(thinking, promptTail),
    thinking,
  }
}
