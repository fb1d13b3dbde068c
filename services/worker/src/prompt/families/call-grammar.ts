/** Parts of the grammars for calls that several families have in common. */
import { type GrammarRules, literal } from '../../grammar/grammar.ts'
import type { GrammarTool } from './family.ts'

/** Calls in one answer. */
const CALLS_MAX = 128
/** White space that a model may write where its syntax does not mind. */
const SPACE_RULE = '[ \\n]{0,4}'

export function spaceRule(rules: GrammarRules): string {
  return rules.add('call-space', SPACE_RULE)
}

/** `{"name": …, "arguments": {…}}` for one of the tools. */
export function jsonCallRule(
  rules: GrammarRules,
  tools: readonly GrammarTool[],
  argumentsKey: 'arguments' | 'parameters',
): string {
  const space = spaceRule(rules)
  const colon = `${space} ":" ${space}`
  const before = `"{" ${space} "\\"name\\"" ${colon}`
  const between = `${space} "," ${space} ${literal(`"${argumentsKey}"`)} ${colon}`
  return anyOf(rules, tools, ({ name, argumentsRule }) => {
    return `${before} ${literal(JSON.stringify(name))} ${between} ${argumentsRule} ${space} "}"`
  })
}

/** A rule for one of the tools. */
export function anyOf(
  rules: GrammarRules,
  tools: readonly GrammarTool[],
  expression: (tool: GrammarTool) => string,
): string {
  const calls = tools.map((tool) => rules.add(`call-${tool.name}`, expression(tool)))
  return rules.add('call', calls.join(' | '))
}

/** One call or, when `parallel`, several with the separator between them. */
export function oneOrMore(call: string, separator: string, parallel: boolean): string {
  return parallel ? `${call} (${separator} ${call}){0,${CALLS_MAX - 1}}` : call
}
