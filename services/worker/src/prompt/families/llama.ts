/**
 * Llama 3.1 and later, whose calls are the whole answer:
 *
 *     {"name": "get_weather", "parameters": {"city": "Oslo"}}
 *
 * Several are separated by semicolons. A control token, `<|python_tag|>`, may stand in front.
 */
import { type CallSyntax, MORE_OF_TAIL } from '../reading/call-syntax.ts'
import { jsonHead, jsonObjectEnd } from '../reading/json-call.ts'
import { TaggedAnswerReader } from '../reading/tagged-answer-reader.ts'
import { endsOpen, thinkingMarkers } from '../reading/thinking-reader.ts'
import { jsonCallRule, oneOrMore, spaceRule } from './call-grammar.ts'
import type { Family } from './family.ts'
import { nativeTemplate } from './instructions.ts'

const syntax: CallSyntax = {
  openings: ['{'],
  onlyFirst: true,
  head(text, callable) {
    const head = jsonHead(`{${text}`, callable)
    return head.kind === 'call' ? { ...head, end: head.end - 1 } : head
  },
  tail(text) {
    const object = jsonObjectEnd(text)
    if (object === 'more') return MORE_OF_TAIL
    if (object === null) return { kind: 'done', end: 0 }
    const separator = /^\s*;?\s*/.exec(text.slice(object))?.[0].length ?? 0
    const next = object + separator
    if (next === text.length) return MORE_OF_TAIL
    return text[next] === '{'
      ? { kind: 'next', end: object, head: next + 1 }
      : { kind: 'done', end: object }
  },
}

export function llama(chatTemplate: string): Family {
  const thinking = thinkingMarkers(chatTemplate)
  return {
    name: 'llama',
    controlMarkers: [thinking.open, thinking.close],
    toTemplate: nativeTemplate({ textBeforeCalls: 'own message', callsPerTurn: 'one' }),
    withoutThinking: '',
    callOpenings: ['{"name"', '{"type": "function"', '{"function"'],
    callGrammar(rules, tools, { parallel }) {
      const space = spaceRule(rules)
      const call = jsonCallRule(rules, tools, 'parameters')
      return oneOrMore(call, `";" ${space}`, parallel)
    },
    answerPrefixGrammar: '',
    answerReader: (options) => new TaggedAnswerReader(syntax, thinking, options),
    opensThinking: (promptTail) => endsOpen(thinking, promptTail),
    thinking,
  }
}
