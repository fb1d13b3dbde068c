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
import type { AnswerPlan, PrepareRequest, ToolUse } from '@svc/contracts/worker/protocol'
import {
  addAnyObject,
  addArguments,
  addSchema,
  addUncheckedArguments,
  defaultSchemaLimits,
  GrammarRules,
  type SchemaLimits,
  UnsupportedSchema,
  Work,
} from '../grammar/grammar.ts'
import type { Family } from '../prompt/families/family.ts'
import { WorkerRefusal } from '../protocol/refusal.ts'

/** Changes when the same request gets another plan. */
export const PLAN_VERSION = 'plan-4'

/** What a model writes between its thinking and its answer. */
const GAP_AFTER_THINKING = '[ \\n]{0,2}'
/** One tool may take this part of a request's steps: the others are enforced all the same. */
const STEPS_OF_ONE_TOOL = 1 / 4

/** The parts of a request that its plan depends on. */
export type Asked = Pick<PrepareRequest, 'toolUse' | 'outputFormat' | 'thinking'>
type Tools = ToolUse['tools']

export const FREE: AnswerPlan = {
  grammar: null,
  grammarFrom: 'answer',
  callable: [],
  mustCall: false,
}

/** Whether there is nothing to compile. @throws WorkerRefusal when no tool can be called */
export function isFree({ toolUse, outputFormat }: Asked): boolean {
  return outputFormat.type === 'text' && callableTools(toolUse).length === 0
}

/** @throws WorkerRefusal when the output format cannot be enforced or no tool can be called */
export function makePlan(
  family: Family,
  asked: Asked,
  limits: SchemaLimits = defaultSchemaLimits,
): AnswerPlan {
  return isFree(asked) ? FREE : new PlanMaker(family, asked, limits).plan()
}

class PlanMaker {
  readonly #family: Family
  readonly #asked: Asked
  readonly #limits: SchemaLimits
  readonly #tools: Tools
  readonly #rules: GrammarRules

  constructor(family: Family, asked: Asked, limits: SchemaLimits) {
    this.#family = family
    this.#asked = asked
    this.#limits = limits
    this.#tools = callableTools(asked.toolUse)
    this.#rules = new GrammarRules(new Work(limits.stepsMax))
  }

  plan(): AnswerPlan {
    const { toolUse, outputFormat, thinking } = this.#asked
    const callsOnly = toolUse?.choice === 'auto' && outputFormat.type === 'text'
    const mayCall = this.#tools.length > 0
    const mustCall = mayCall && toolUse?.choice === 'required'
    const ways: string[] = []
    if (outputFormat.type !== 'text') {
      // It is refused where it cannot be enforced, also when the answer has to be a call.
      const work = this.#rules.work
      const format = this.#format(mustCall ? new GrammarRules(work) : this.#rules)
      if (!mustCall) ways.push(format)
    }
    if (mayCall) ways.push(this.#calls())
    const answer = ways.map((way) => `(${way})`).join(' | ')
    const gap = thinking.enabled && !callsOnly && this.#family.answerPrefixGrammar === ''
    const grammar = this.#rules.text(gap ? `${GAP_AFTER_THINKING} (${answer})` : answer)
    const callable = this.#tools.map(({ name }) => name)
    return { grammar, grammarFrom: callsOnly ? 'tool_call' : 'answer', callable, mustCall }
  }

  #calls(): string {
    const callable = this.#tools.map(({ name, parameters }) => ({
      name,
      argumentsRule: this.#arguments(parameters),
    }))
    const parallel = this.#asked.toolUse?.parallel === true
    return this.#family.callGrammar(this.#rules, callable, { parallel })
  }

  /**
   * Adds the rule of a tool's arguments: what of its schema can be enforced, or any object when the
   * schema is too large.
   */
  #arguments(parameters: Tools[number]['parameters']): string {
    const limits = this.#limits
    const work = this.#rules.work.part(limits.stepsMax * STEPS_OF_ONE_TOOL)
    try {
      return addArguments(this.#rules, parameters, { limits, work })
    } catch (error) {
      if (!(error instanceof UnsupportedSchema)) throw error
      return addUncheckedArguments(this.#rules, parameters)
    }
  }

  #format(rules: GrammarRules): string {
    const { outputFormat: format } = this.#asked
    const prefix = this.#family.answerPrefixGrammar
    try {
      const rule =
        format.type === 'json_schema'
          ? addSchema(rules, format.schema, { unsupported: 'refuse', limits: this.#limits })
          : addAnyObject(rules)
      return prefix === '' ? rule : `${prefix} ${rule}`
    } catch (error) {
      if (!(error instanceof UnsupportedSchema)) throw error
      const field = 'outputFormat'
      throw new WorkerRefusal('unsupported_schema', error.message, { field })
    }
  }
}

function callableTools(toolUse: ToolUse | null): Tools {
  if (toolUse === null || toolUse.choice === 'none') return []
  const { tools, callable, choice } = toolUse
  const chosen = callable === null ? tools : tools.filter(({ name }) => callable.includes(name))
  if (chosen.length === 0 && choice === 'required') {
    const message = 'toolUse.callable: names no tool that there is'
    throw new WorkerRefusal('bad_request', message, { field: 'toolUse' })
  }
  return chosen
}
