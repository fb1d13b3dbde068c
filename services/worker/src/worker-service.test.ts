import type { AnswerOptions, PrepareRequest, ToolUse } from '@svc/contracts/worker/protocol'
import { RecentTenants } from '@svc/infra/turns/recent-tenants'
import { PLAIN, THINKING, user } from '@svc/testing/protocol-client'
import { describe, expect, it } from 'vitest'
import { request, scriptedWorker } from '../testing/scripted-worker.ts'
import { byteVocabulary } from './engines/scripted/byte-vocabulary.ts'
import type { Script } from './engines/scripted/scripted-engine.ts'
import { makePlan } from './plans/answer-plan.ts'
import { AnswerPlans } from './plans/answer-plans.ts'
import type { Conversation } from './prompt/families/family.ts'
import { hermes } from './prompt/families/hermes.ts'
import { PromptTooLong } from './prompt/prompt-length.ts'
import { type PromptRenderer, TemplateRefusal } from './prompt/template.ts'
import { WorkerService } from './worker-service.ts'

async function prepare(request: Partial<PrepareRequest>, contextSize = 100, refusal?: string) {
  const rendered: Conversation[] = []
  const operations = operationsOf(contextSize, (conversation) => {
    if (refusal !== undefined) throw new TemplateRefusal(refusal)
    rendered.push(conversation)
    return [1, 2, 3]
  })
  const answer = await operations.prepare({ ...PLAIN, messages: [user('hi')], ...request })
  return { answer, rendered: rendered[0] }
}

function operationsOf(contextSize: number, render: PromptRenderer['render'], script?: Script) {
  return serviceOf(
    contextSize,
    function* (...asked) {
      yield
      return render(...asked)
    },
    script,
  )
}

function serviceOf(contextSize: number, slices: PromptRenderer['slices'], script?: Script) {
  const { engine, scheduler, cache } = scriptedWorker(script)
  return new WorkerService({
    nowMs: () => performance.now(),
    recent: new RecentTenants(() => performance.now()),
    engine,
    scheduler,
    cache,
    renderer: { slices },
    plans: new AnswerPlans(async (_tenant, asked) =>
      makePlan(hermes('<think>'), JSON.parse(asked)),
    ),
    facts: {
      workerId: 'w',
      fingerprint: 'f',
      modelName: 'm',
      toy: true,
      contextSize,
      threads: 1,
      cpuVariant: 'none',
      device: 'cpu',
      gpu: null,
      gpuProblem: null,
      instanceId: 'w/1',
      cache: { mode: 'on', schedule: 'canonical-128', reason: null, tiers: ['l1'] },
    },
    cacheProblem: () => null,
  })
}

const tool = { name: 'f', parameters: {} }
const tools = [tool]
const toolUse: ToolUse = { tools, choice: 'auto', callable: null, parallel: true }

describe('preparing', () => {
  it('gives the tokens, the room for the output, and the plan', async () => {
    const { answer, rendered } = await prepare({ toolUse: { ...toolUse, tools } })
    expect(answer).toMatchObject({
      tokens: [1, 2, 3],
      fingerprint: 'f',
      contextSize: 100,
      maxOutputTokens: 97,
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

  it('refuses tools that no context of that size can hold, and says how long they are', async () => {
    const tools = [{ ...tool, description: 'x'.repeat(6401) }]
    const render = () => {
      throw new Error('it is rendered')
    }
    const operations = operationsOf(100, render)
    const asked = { ...PLAIN, messages: [user('hi')], toolUse: { ...toolUse, tools } }
    const length = JSON.stringify(tools).length
    await expect(operations.prepare(asked)).rejects.toMatchObject({
      code: 'prompt_too_long',
      details: { promptLength: { tokens: length, isLowerBound: true, contextSize: 100 } },
    })
  })

  it('refuses a prompt that leaves no room, and sends none of its tokens', async () => {
    const prompt = Array.from({ length: 100 }, () => 1)
    const operations = operationsOf(100, () => prompt)
    await expect(operations.prepare({ ...PLAIN, messages: [user('hi')] })).rejects.toMatchObject({
      code: 'prompt_too_long',
      details: { promptLength: { tokens: 100, isLowerBound: false, contextSize: 100 } },
    })
  })

  it('lets a mere count be longer than an answer may make its prompt', async () => {
    const bounds: unknown[] = []
    const operations = operationsOf(100, (_conversation, asked) => {
      bounds.push(asked)
      return [1]
    })
    await operations.prepare({ ...PLAIN, messages: [user('hi')] })
    await operations.prepare({ ...PLAIN, messages: [user('hi')], sampling: request('hi').sampling })
    expect(bounds).toEqual([
      { contextSize: 100, tokensMax: 1_600 },
      { contextSize: 100, tokensMax: 100 },
    ])
  })

  it('says how long the prompt is where the renderer finds it far too long', async () => {
    const length = { tokens: 7000, isLowerBound: true, contextSize: 100 }
    const operations = operationsOf(100, () => {
      throw new PromptTooLong(length)
    })
    const prepared = operations.prepare({ ...PLAIN, messages: [user('hi')] })
    await expect(prepared).rejects.toMatchObject({
      code: 'prompt_too_long',
      details: { promptLength: length },
    })
  })

  it('leaves the thread to the answers of others between the slices of a prompt', async () => {
    const order: string[] = []
    const operations = serviceOf(100, function* () {
      for (let slice = 0; slice < 3; slice += 1) {
        setImmediate(() => order.push('answer'))
        order.push('slice')
        yield
      }
      return [1]
    })
    await operations.prepare({ ...PLAIN, messages: [user('hi')] })
    expect(order).toEqual(['slice', 'answer', 'slice', 'answer', 'slice', 'answer'])
  })

  it('gives up between two slices what nobody waits for any more', async () => {
    const stop = new AbortController()
    let slices = 0
    const operations = serviceOf(100, function* () {
      for (;;) {
        slices += 1
        if (slices === 2) stop.abort(new Error('not wanted'))
        yield
      }
    })
    const prepared = operations.prepare({ ...PLAIN, messages: [user('hi')] }, stop.signal)
    await expect(prepared).rejects.toThrow('not wanted')
    expect(slices).toBe(2)
  })

  it('refuses a schema that is larger than the context', async () => {
    const schema = { description: 'x'.repeat(6401) }
    const prepared = prepare({ outputFormat: { type: 'json_schema', schema } })
    await expect(prepared).rejects.toMatchObject({
      code: 'unsupported_schema',
      details: { field: 'outputFormat' },
    })
  })

  const VOCABULARY = byteVocabulary().size
  it.each<[keyof AnswerOptions, Partial<AnswerOptions>, Script?]>([
    ['logitBias', { logitBias: [[VOCABULARY, 1]] }],
    ['logitBias', { logitBias: [[2 ** 40, -100]] }],
    ['topLogprobs', { topLogprobs: 0 }, { tellsLogprobs: false }],
    ['stop', { stop: ['a', '\ud800'] }],
  ])(
    'refuses by its field what a run would be refused for: %s %j',
    async (field, options, script) => {
      const operations = operationsOf(100, () => [1, 2, 3], script)
      const refusal = { code: 'bad_request', details: { field } }
      const prepared = operations.prepare({ ...PLAIN, messages: [user('hi')], ...options })
      await expect(prepared).rejects.toMatchObject(refusal)
      expect(() => operations.generate(request('hi', options), async () => {})).toThrow(
        expect.objectContaining(refusal),
      )
    },
  )

  it('takes what a run takes', async () => {
    const options = { logitBias: [[VOCABULARY - 1, 1] as [number, number]], topLogprobs: 20 }
    const { answer } = await prepare({ ...options, stop: ['a'] })
    expect(answer.tokens).toEqual([1, 2, 3])
  })

  it.each<[string, Partial<PrepareRequest>]>([
    ['toolUse', { toolUse: { ...toolUse, choice: 'required' } }],
    ['outputFormat', { outputFormat: { type: 'json_schema', schema: { type: 'object' } } }],
  ])('refuses a grammar of the %s that the runtime cannot read', async (field, asked) => {
    const operations = operationsOf(100, () => [1, 2, 3], { readsGrammars: false })
    const prepared = operations.prepare({ ...PLAIN, messages: [user('hi')], ...asked })
    await expect(prepared).rejects.toMatchObject({ code: 'bad_request', details: { field } })
  })

  it('refuses what the template refuses, and what is nested without an end', async () => {
    await expect(prepare({}, 100, 'no such turn')).rejects.toMatchObject({
      code: 'bad_request',
      message: 'no such turn',
      details: { field: 'messages' },
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
