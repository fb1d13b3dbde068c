import type { PrepareRequest, ToolUse } from '@svc/contracts/worker-protocol'
import { describe, expect, it } from 'vitest'
import { makePlan } from '../answer-plan.ts'
import { AnswerPlans } from '../answer-plans.ts'
import type { Conversation } from '../prompt/families/family.ts'
import { hermes } from '../prompt/families/hermes.ts'
import { TemplateRefusal } from '../prompt/template.ts'
import { scriptedWorker } from '../testing/scripted-worker.ts'
import { PLAIN, THINKING, user } from '../testing/worker-client.ts'
import { WorkerOperations } from './operations.ts'

async function prepare(request: Partial<PrepareRequest>, contextSize = 100, refusal?: string) {
  const rendered: Conversation[] = []
  const { scheduler, cache } = scriptedWorker()
  const operations = new WorkerOperations({
    ...{ scheduler, cache },
    renderer: {
      render(conversation) {
        if (refusal !== undefined) throw new TemplateRefusal(refusal)
        rendered.push(conversation)
        return [1, 2, 3]
      },
    },
    plans: new AnswerPlans(async (_tenant, asked) =>
      makePlan(hermes('<think>'), JSON.parse(asked)),
    ),
    facts: {
      ...{ workerId: 'w', fingerprint: 'f', modelName: 'm', toy: true },
      ...{ contextSize, threads: 1, cpuVariant: 'none', device: 'cpu', instanceId: 'w/1' },
      cache: { mode: 'on', reason: null, tiers: ['l1'] },
    },
  })
  const answer = await operations.prepare({ ...PLAIN, messages: [user('hi')], ...request })
  return { answer, rendered: rendered[0] }
}

const tool = { name: 'f', parameters: {} }
const tools = [tool]
const toolUse: ToolUse = { tools, choice: 'auto', callable: null, parallel: true }

describe('preparing', () => {
  it('gives the tokens, the room for the output, and the plan', async () => {
    const { answer, rendered } = await prepare({ toolUse: { ...toolUse, tools } })
    expect(answer).toMatchObject({
      ...{ tokens: [1, 2, 3], fingerprint: 'f', contextSize: 100, maxOutputTokens: 97 },
      plan: { grammarFrom: 'tool_call', callable: ['f'] },
    })
    expect(rendered?.tools).toEqual(tools)
  })

  it('shows the model its tools also when it may not call them', async () => {
    const { answer, rendered } = await prepare({ toolUse: { ...toolUse, tools, choice: 'none' } })
    expect([rendered?.tools, answer.plan.callable]).toEqual([tools, []])
  })

  it('tells the template of no thinking when its budget is nothing', async () => {
    const enabled = async (budgetTokens: number) => {
      const { rendered } = await prepare({ thinking: { ...THINKING, budgetTokens } })
      return rendered?.thinking.enabled
    }
    expect([await enabled(0), await enabled(1)]).toEqual([false, true])
  })

  it.each<[string, Partial<PrepareRequest>]>([
    ['messages', { messages: [user('x'.repeat(6401))] }],
    ['reasoning', { messages: [{ role: 'assistant', content: '', reasoning: 'x'.repeat(6401) }] }],
    ['tools', { toolUse: { ...toolUse, tools: [{ ...tool, description: 'x'.repeat(6401) }] } }],
    [
      'a schema',
      { outputFormat: { type: 'json_schema', schema: { description: 'x'.repeat(6401) } } },
    ],
  ])('refuses %s that no context of that size can hold', async (_what, request) => {
    await expect(prepare(request)).rejects.toMatchObject({ code: 'prompt_too_long' })
  })

  it('refuses what the template refuses, and what is nested without an end', async () => {
    await expect(prepare({}, 100, 'no such turn')).rejects.toMatchObject({
      ...{ code: 'bad_request', message: 'no such turn' },
    })
    const depth = 100_000
    const schema = JSON.parse(`${'{"items":'.repeat(depth)}{}${'}'.repeat(depth)}`)
    const nested = prepare({ outputFormat: { type: 'json_schema', schema } }, 1e6)
    await expect(nested).rejects.toMatchObject({
      code: 'unsupported_schema',
      message: expect.stringContaining('nested'),
    })
  })
})
