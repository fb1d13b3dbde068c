/**
 * Plans how an answer is to be made: which grammar it has to follow, from where on, and whose calls
 * are taken out of its text.
 *
 *     tools          output format   the answer is
 *     none           text            free
 *     none           JSON            JSON
 *     may be called  text            free, up to the opening of a call; then calls to its end
 *     may be called  JSON            JSON or calls
 *     must be called any             calls
 *
 * What of a tool's schema no grammar can enforce is left to the model, as the caller was told; an
 * output format that cannot be enforced is refused, because its caller was promised valid JSON.
 */
import { hash } from 'node:crypto'
import type { AnswerPlan, PrepareRequest, ToolUse } from '@svc/contracts/worker-protocol'
import { RecentlyUsed } from './engine/recently-used.ts'
import { SchedulerRefusal } from './engine/refusal.ts'
import { addArguments, addUncheckedArguments } from './grammar/argument-schema.ts'
import { GrammarRules } from './grammar/gbnf.ts'
import { addAnyObject, addSchema } from './grammar/json-schema.ts'
import { UnsupportedSchema } from './grammar/unsupported-schema.ts'
import type { Family } from './prompt/families/family.ts'

/** Changes when the same request gets another plan. */
export const PLAN_VERSION = 'plan-2'

/** Plans that are kept. */
const PLANS_MAX = 256
const PLAN_CHARACTERS_MAX = 16 * 1024 * 1024
/** What a model writes between its thinking and its answer. */
const GAP_AFTER_THINKING = '[ \\n]{0,2}'
type Asked = Pick<PrepareRequest, 'toolUse' | 'outputFormat' | 'thinking'>
type Tools = ToolUse['tools']
/** @returns the name of the rule for a tool's arguments */
type WriteArguments = (rules: GrammarRules, tool: Tools[number]) => string

const FREE: AnswerPlan = { grammar: null, grammarFrom: 'answer', callable: [] }

export class AnswerPlans {
  readonly #family: Family
  readonly #known = new RecentlyUsed<string, AnswerPlan>({
    entriesMax: PLANS_MAX,
    weightMax: PLAN_CHARACTERS_MAX,
    weigh: (_key, plan) => plan.grammar?.length ?? 0,
  })

  constructor(family: Family) {
    this.#family = family
  }

  /** @throws SchedulerRefusal when the output format cannot be enforced or no tool can be called */
  planFor(asked: Asked): AnswerPlan {
    const { toolUse, outputFormat, thinking } = asked
    const callable = callableTools(toolUse)
    if (callable.length === 0 && outputFormat.type === 'text') return FREE
    const facts = [callable, toolUse?.choice, toolUse?.parallel, outputFormat, thinking.enabled]
    const key = hash('sha256', JSON.stringify(facts), 'base64')
    return this.#known.get(key, () => this.#make(callable, asked))
  }

  #make(tools: Tools, { toolUse, outputFormat, thinking }: Asked): AnswerPlan {
    const isFree = toolUse?.choice === 'auto' && outputFormat.type === 'text'
    const mayCall = tools.length > 0
    const mustCall = mayCall && toolUse?.choice === 'required'
    const grammar = this.#enforcing(outputFormat, (writeArguments) => {
      const rules = new GrammarRules()
      const ways: string[] = []
      if (!isFree && !mustCall) ways.push(this.#format(rules, outputFormat))
      if (mayCall) ways.push(this.#calls(rules, tools, toolUse?.parallel === true, writeArguments))
      const answer = ways.map((way) => `(${way})`).join(' | ')
      const gap = thinking.enabled && !isFree && this.#family.answerPrefixGrammar === ''
      return rules.text(gap ? `${GAP_AFTER_THINKING} (${answer})` : answer)
    })
    const callable = tools.map(({ name }) => name)
    return { grammar, grammarFrom: isFree ? 'tool_call' : 'answer', callable }
  }

  /** With all that can be enforced of the tools' schemas or, when that is too much, any objects. */
  #enforcing(
    format: Asked['outputFormat'],
    write: (writeArguments: WriteArguments) => string,
  ): string {
    if (format.type === 'json_schema') this.#format(new GrammarRules(), format)
    try {
      return write((rules, { parameters }) => addArguments(rules, parameters))
    } catch (error) {
      if (!(error instanceof UnsupportedSchema)) throw error
      return write((rules, { parameters }) => addUncheckedArguments(rules, parameters))
    }
  }

  #calls(rules: GrammarRules, tools: Tools, parallel: boolean, write: WriteArguments): string {
    const callable = tools.map((tool) => ({
      name: tool.name,
      argumentsRule: write(rules, tool),
    }))
    return this.#family.callGrammar(rules, callable, { parallel })
  }

  #format(rules: GrammarRules, format: Asked['outputFormat']): string {
    const prefix = this.#family.answerPrefixGrammar
    try {
      const rule =
        format.type === 'json_schema'
          ? addSchema(rules, format.schema, { unsupported: 'refuse' })
          : addAnyObject(rules)
      return prefix === '' ? rule : `${prefix} ${rule}`
    } catch (error) {
      if (!(error instanceof UnsupportedSchema)) throw error
      throw new SchedulerRefusal('unsupported_schema', error.message)
    }
  }
}

function callableTools(toolUse: ToolUse | null): Tools {
  if (toolUse === null || toolUse.choice === 'none') return []
  const { tools, callable, choice } = toolUse
  const chosen = callable === null ? tools : tools.filter(({ name }) => callable.includes(name))
  if (chosen.length === 0 && choice === 'required') {
    throw new SchedulerRefusal('bad_request', 'toolUse.callable: names no tool that there is')
  }
  return chosen
}
