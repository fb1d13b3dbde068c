/**
 * DeepSeek R1 and V3, and V3.1 with the shorter form:
 *
 *     <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather
 *     ```json
 *     {"city": "Oslo"}
 *     ```<｜tool▁call▁end｜><｜tool▁calls▁end｜>
 *
 *     <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜>…
 */
import { literal } from '../../grammar/grammar.ts'
import {
  type CallSyntax,
  MORE_OF_CALL,
  MORE_OF_TAIL,
  mayBecome,
  NO_CALL,
  whiteSpaceLength,
} from '../reading/call-syntax.ts'
import { TaggedAnswerReader } from '../reading/tagged-answer-reader.ts'
import { endsOpen, thinkingMarkers } from '../reading/thinking-reader.ts'
import { anyOf, oneOrMore, spaceRule } from './call-grammar.ts'
import type { Family } from './family.ts'
import { nativeTemplate, toolLines, withInstructions } from './instructions.ts'

const CALLS_BEGIN = '<｜tool▁calls▁begin｜>'
const CALL_BEGIN = '<｜tool▁call▁begin｜>'
const SEPARATOR = '<｜tool▁sep｜>'
const CALL_END = '<｜tool▁call▁end｜>'
const CALLS_END = '<｜tool▁calls▁end｜>'
const FENCE = '```'
/** A type, a name and their markers are shorter. */
const NAMES_CHARACTERS_MAX = 1024

const syntax: CallSyntax = {
  openings: [CALLS_BEGIN, CALL_BEGIN],
  onlyFirst: false,
  head(text, callable) {
    const begin = whiteSpaceLength(text)
    if (mayBecome(text.slice(begin), CALL_BEGIN)) return MORE_OF_CALL
    const at = text.startsWith(CALL_BEGIN, begin) ? begin + CALL_BEGIN.length : begin
    const names = text.slice(at)
    const short = new RegExp(`^([^\\s{<]+)${SEPARATOR}\\s*(?=\\{)`).exec(names)
    const long = new RegExp(`^\\w+${SEPARATOR}([^\\s{<]+)\\s*${FENCE}(?:json)?\\s*(?=\\{)`).exec(
      names,
    )
    const head = short ?? long
    if (head === null) {
      const begun = !names.includes('{') && names.length < NAMES_CHARACTERS_MAX
      return begun ? MORE_OF_CALL : NO_CALL
    }
    const name = head[1] ?? ''
    if (!callable.has(name)) return NO_CALL
    return { kind: 'call', name, arguments: null, end: at + head[0].length }
  },
  tail(text) {
    let end = 0
    for (const marker of [FENCE, CALL_END]) {
      const at = end + whiteSpaceLength(text, end)
      if (mayBecome(text.slice(at), marker)) return MORE_OF_TAIL
      if (text.startsWith(marker, at)) end = at + marker.length
    }
    const next = end + whiteSpaceLength(text, end)
    const rest = text.slice(next)
    if (mayBecome(rest, CALL_BEGIN) || mayBecome(rest, CALLS_END)) return MORE_OF_TAIL
    if (rest.startsWith(CALL_BEGIN)) return { kind: 'next', end, head: next + CALL_BEGIN.length }
    return { kind: 'done', end: rest.startsWith(CALLS_END) ? next + CALLS_END.length : end }
  },
}

/** What DeepSeek tells its models where the template itself shows no tools. */
function toolInstructions(lines: string, call: string): string {
  return `## Tools
You have access to the following tools:

${lines}

IMPORTANT: ALWAYS adhere to this exact format for tool use:
${CALLS_BEGIN}${call}{{additional_tool_calls}}${CALLS_END}

Where:
- \`tool_call_name\` must be an exact match to one of the available tools
- \`tool_call_arguments\` must be valid JSON that strictly follows the tool's parameters schema
- For multiple tool calls, chain them directly without separators or spaces`
}

export function deepseek(chatTemplate: string): Family {
  const thinking = thinkingMarkers(chatTemplate)
  const fenced = chatTemplate.includes(FENCE)
  const showsTools = /\btools\b/.test(chatTemplate)
  const native = nativeTemplate({
    textBeforeCalls: fenced ? 'own message' : 'same message',
    emptyText: fenced ? null : '',
  })
  const example = fenced
    ? `${CALL_BEGIN}function${SEPARATOR}tool_call_name\n${FENCE}json\ntool_call_arguments\n${FENCE}`
    : `${CALL_BEGIN}tool_call_name${SEPARATOR}tool_call_arguments`
  return {
    name: 'deepseek',
    controlMarkers: [
      ...[CALLS_BEGIN, CALL_BEGIN, SEPARATOR, CALL_END, CALLS_END],
      ...[thinking.open, thinking.close],
    ],
    toTemplate(conversation, slots) {
      if (showsTools || conversation.tools.length === 0) return native(conversation, slots)
      const { messages } = native({ ...conversation, tools: [] }, slots)
      const lines = toolLines(conversation.tools, slots)
      const instructions = toolInstructions(lines, `${example}${CALL_END}`)
      return { messages: withInstructions(messages, instructions), tools: null }
    },
    withoutThinking: '',
    callOpenings: syntax.openings,
    callGrammar(rules, tools, { parallel }) {
      const space = spaceRule(rules)
      const call = anyOf(rules, tools, ({ name, argumentsRule }) => {
        const before = fenced
          ? `"function${SEPARATOR}" ${literal(`${name}\n${FENCE}json\n`)}`
          : `${literal(name)} "${SEPARATOR}"`
        const after = fenced ? `"\\n${FENCE}${CALL_END}"` : `"${CALL_END}"`
        return `"${CALL_BEGIN}" ${before} ${argumentsRule} ${after}`
      })
      return `"${CALLS_BEGIN}" ${oneOrMore(call, space, parallel)} "${CALLS_END}"`
    },
    answerPrefixGrammar: '',
    answerReader: (options) => new TaggedAnswerReader(syntax, thinking, options),
    opensThinking: (promptTail) => endsOpen(thinking, promptTail),
    thinking,
  }
}
