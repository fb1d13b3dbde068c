/** What a coding agent sends: long lists of tools, each of which keeps to its own schema. */
import type { ToolDefinition, ToolUse } from '@svc/contracts/worker/protocol'
import { PLAIN } from '@svc/testing/protocol-client'
import { describe, expect, it } from 'vitest'
import { claudeCodeTools, codexTools, mcpTools } from '../../testing/agent-tools.ts'
import { GbnfAcceptance } from '../../testing/grammar/gbnf-acceptance.ts'
import { GbnfSampler } from '../../testing/grammar/gbnf-sampler.ts'
import { randomOf, schemaValidator } from '../../testing/grammar/schema-validator.ts'
import { defaultSchemaLimits } from '../grammar/schema/schema-limits.ts'
import { hermes } from '../prompt/families/hermes.ts'
import { makePlan } from './answer-plan.ts'

const CALL = /^<tool_call>(.*)<\/tool_call>$/s

/** As many as are enforced at least, whatever their mixture: see structured-output.md. */
const MANY = 120
const manyTools = [
  ...[...claudeCodeTools, ...codexTools, ...mcpTools],
  ...mcpTools.map((tool) => ({ ...tool, name: `${tool.name}_too` })),
].slice(0, MANY)

function grammarOf(
  tools: readonly ToolDefinition[],
  { callable = null, stepsMax = defaultSchemaLimits.stepsMax }: Partial<Asked> = {},
): string {
  const toolUse: ToolUse = {
    tools: [...tools],
    choice: 'required',
    parallel: false,
    callable: callable === null ? null : [...callable],
  }
  const limits = { ...defaultSchemaLimits, stepsMax }
  return makePlan(hermes('<think>'), { ...PLAIN, toolUse }, limits).grammar ?? ''
}

function called(call: string): { name: string; arguments: unknown } {
  const [, json = ''] = CALL.exec(call) ?? []
  return JSON.parse(json)
}

/** Without the name of its draft, which the validator does not have. */
function validatorOf({ $schema: _, ...parameters }: ToolDefinition['parameters']) {
  return schemaValidator(parameters)
}

interface Asked {
  readonly callable: readonly string[] | null
  readonly stepsMax: number
}

describe('a long list of tools', () => {
  const lists = [
    { list: 'Claude Code', tools: claudeCodeTools },
    { list: 'Codex', tools: codexTools },
    { list: 'three servers of twenty tools', tools: mcpTools },
    { list: 'all of them, and more servers', tools: manyTools },
  ]

  it.each(lists)('is enforced to its last tool: $list', { timeout: 120_000 }, ({ tools }) => {
    const whole = new GbnfAcceptance(grammarOf(tools))
    for (const [index, { name, parameters }] of tools.entries()) {
      const alone = new GbnfSampler(grammarOf(tools, { callable: [name] }))
      const call = alone.draw(randomOf(index), 20)
      const drawn = called(call)
      const error = validatorOf(parameters)(JSON.stringify(drawn.arguments))
      expect([drawn.name, error]).toEqual([name, null])
      expect([name, whole.accepts(call)]).toEqual([name, true])
      const madeUp = `<tool_call>\n{"name": "${name}", "arguments": {"made_up": 1}}\n</tool_call>`
      expect([name, whole.accepts(madeUp)]).toEqual([name, false])
    }
  })

  it('is a whole grammar wherever the steps end', () => {
    const tools = ['Task', 'TodoWrite', 'KillShell'].flatMap((name) =>
      claudeCodeTools.filter((tool) => tool.name === name),
    )
    for (let stepsMax = 0; stepsMax < 20_000; stepsMax += 50) {
      // It refuses a reference to a rule that is not there, as llama.cpp does.
      const sampler = new GbnfSampler(grammarOf(tools, { stepsMax }))
      expect(called(sampler.draw(randomOf(stepsMax), 8)).arguments).toBeTypeOf('object')
    }
  })
})
