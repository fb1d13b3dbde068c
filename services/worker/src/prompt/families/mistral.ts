/**
 * Mistral, in the two forms that its templates show:
 *
 *     [TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Oslo"}}, …]
 *     [TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}[TOOL_CALLS]…
 *
 * The second may have `[CALL_ID]` and an id before `[ARGS]`. Both are read, whichever is shown.
 */
import type { PromptMessage } from '@svc/contracts/worker/protocol'
import { literal } from '../../grammar/grammar.ts'
import {
  type CallSyntax,
  type Head,
  MORE_OF_CALL,
  MORE_OF_TAIL,
  NO_CALL,
  whiteSpaceLength,
} from '../reading/call-syntax.ts'
import { jsonHead, jsonObjectEnd } from '../reading/json-call.ts'
import { TaggedAnswerReader } from '../reading/tagged-answer-reader.ts'
import { endsOpen, thinkingMarkers } from '../reading/thinking-reader.ts'
import { anyOf, jsonCallRule, oneOrMore, spaceRule } from './call-grammar.ts'
import type { Family } from './family.ts'
import { nativeTemplate } from './instructions.ts'

const OPEN = '[TOOL_CALLS]'
const ARGUMENTS = '[ARGS]'
const CALL_ID = '[CALL_ID]'
/** A name, an id and their markers are shorter. */
const NAMED_HEAD_CHARACTERS_MAX = 512

const syntax: CallSyntax = {
  openings: [OPEN],
  onlyFirst: false,
  head(text, callable) {
    const at = whiteSpaceLength(text)
    if (at === text.length) return MORE_OF_CALL
    if (text[at] !== '[' && text[at] !== '{') return namedHead(text, callable)
    const list = text[at] === '[' ? at + 1 : at
    const head = jsonHead(text.slice(list), callable)
    if (head.kind === 'more') return MORE_OF_CALL
    return head.kind === 'call' ? { ...head, end: head.end + list } : head
  },
  tail(text) {
    const object = jsonObjectEnd(text)
    // Nothing follows the arguments in the second form: text may come, or the next opening.
    if (object === null) return { kind: 'done', end: 0 }
    if (object === 'more') return MORE_OF_TAIL
    const next = object + whiteSpaceLength(text, object)
    if (next === text.length) return MORE_OF_TAIL
    if (text[next] === ',') return { kind: 'next', end: object, head: next + 1 }
    return { kind: 'done', end: text[next] === ']' ? next + 1 : object }
  },
}

/** Looks only as far as a head can reach: patterns take a square of the white space in it. */
function namedHead(given: string, callable: ReadonlySet<string>): Head {
  const text = given.slice(0, NAMED_HEAD_CHARACTERS_MAX)
  const head = /^\s*([^\s[{]+)\s*(?:\[CALL_ID\]\s*\w*\s*)?\[ARGS\]\s*(?=\{)/.exec(text)
  if (head === null) {
    const begun = /^\s*[^\s[{]*\s*(\[[^{]*)?$/.test(text)
    return begun && text.length < NAMED_HEAD_CHARACTERS_MAX ? MORE_OF_CALL : NO_CALL
  }
  const name = head[1] ?? ''
  if (!callable.has(name)) return NO_CALL
  return { kind: 'call', name, arguments: null, end: head[0].length }
}

export function mistral(chatTemplate: string): Family {
  const thinking = thinkingMarkers(chatTemplate)
  const native = nativeTemplate({})
  return {
    name: 'mistral',
    controlMarkers: [OPEN, ARGUMENTS, CALL_ID, thinking.open, thinking.close],
    toTemplate(conversation, slots) {
      const messages = alternating(conversation.messages)
      const hasPlace = chatTemplate.includes('[SYSTEM_PROMPT]')
      return native(
        { ...conversation, messages: hasPlace ? messages : systemInLastTurn(messages) },
        slots,
      )
    },
    withoutThinking: '',
    callOpenings: syntax.openings,
    callGrammar(rules, tools, { parallel }) {
      if (!chatTemplate.includes(ARGUMENTS)) {
        const space = spaceRule(rules)
        const call = jsonCallRule(rules, tools, 'arguments')
        return `"${OPEN}" ${space} "[" ${oneOrMore(call, `"," ${space}`, parallel)} "]"`
      }
      const call = anyOf(rules, tools, ({ name, argumentsRule }) => {
        return `"${OPEN}" ${literal(name)} "${ARGUMENTS}" ${argumentsRule}`
      })
      return oneOrMore(call, '', parallel)
    },
    answerPrefixGrammar: '',
    answerReader: (options) => new TaggedAnswerReader(syntax, thinking, options),
    opensThinking: (promptTail) => endsOpen(thinking, promptTail),
    thinking,
  }
}

/**
 * Mistral's templates refuse two turns of one side after another. What the user says right after
 * results of tools goes to the last result; other turns of one side become one.
 */
function alternating(messages: readonly PromptMessage[]): PromptMessage[] {
  const turns: PromptMessage[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    const joins = message.role === 'user' && (last?.role === 'user' || last?.role === 'tool')
    if (!joins || last === undefined) {
      turns.push(message)
      continue
    }
    turns[turns.length - 1] = { ...last, content: `${last.content}\n\n${message.content}` }
  }
  return turns
}

/**
 * Older templates put the system message into the user's last turn, but only when no result of a
 * tool comes after it, and else leave it out. So it is put there for them.
 */
function systemInLastTurn(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  const [system, ...turns] = messages
  const last = turns.findLastIndex(({ role }) => role === 'user')
  if (system?.role !== 'system' || system.content === '' || last === -1) return messages
  return turns.map((turn, index) => {
    return index === last ? { ...turn, content: `${system.content}\n\n${turn.content}` } : turn
  })
}
