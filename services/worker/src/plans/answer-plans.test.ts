import type { AnswerPlan } from '@svc/contracts/worker/protocol'
import { PLAIN } from '@svc/testing/protocol-client'
import { describe, expect, it } from 'vitest'
import { WorkerRefusal } from '../protocol/refusal.ts'
import { FREE } from './answer-plan.ts'
import { AnswerPlans } from './answer-plans.ts'
import { CompileTimeout } from './compile-threads.ts'

const json = (title: string) =>
  ({ ...PLAIN, outputFormat: { type: 'json_schema', schema: { title } } }) as const

/** @param outcomes what the compiler says, one request after the other; then the last again */
function plansThat(...outcomes: readonly (AnswerPlan | Error)[]) {
  const compiled: string[] = []
  const plans = new AnswerPlans(async (tenant) => {
    const outcome = outcomes[Math.min(compiled.length, outcomes.length - 1)]
    compiled.push(tenant)
    if (outcome instanceof Error || outcome === undefined) throw outcome
    return outcome
  })
  return { plans, compiled }
}

const plan = (characters = 10): AnswerPlan => ({
  grammar: 'x'.repeat(characters),
  grammarFrom: 'answer',
  callable: [],
  mustCall: false,
})

describe('plans', () => {
  it('of a free answer are not compiled', async () => {
    const { plans, compiled } = plansThat(plan())
    expect(await plans.planFor('a', PLAIN)).toEqual(FREE)
    expect(compiled).toEqual([])
  })

  it('are made once for a tenant, also when asked for twice at once', async () => {
    const { plans, compiled } = plansThat(plan())
    await Promise.all([plans.planFor('a', json('1')), plans.planFor('a', json('1'))])
    await plans.planFor('a', structuredClone(json('1')))
    expect(compiled).toEqual(['a'])
    await plans.planFor('b', json('1'))
    await plans.planFor('a', json('2'))
    expect(compiled).toEqual(['a', 'b', 'a'])
  })

  it('do not depend on what a tool is good for', async () => {
    const { plans, compiled } = plansThat(plan())
    for (const description of ['one', 'two']) {
      const tools = [{ name: 'f', description, parameters: {} }]
      const toolUse = { tools, choice: 'auto', callable: null, parallel: true } as const
      await plans.planFor('a', { ...PLAIN, toolUse: { ...toolUse, tools } })
    }
    expect(compiled.length).toBe(1)
  })

  it('of one tenant do not push out those of another', async () => {
    const { plans, compiled } = plansThat(plan(1024 * 1024))
    await plans.planFor('victim', json('mine'))
    for (let index = 0; index < 200; index += 1) await plans.planFor('flood', json(`${index}`))
    await plans.planFor('victim', json('mine'))
    expect(compiled.filter((tenant) => tenant === 'victim').length).toBe(1)
  })

  it('that were refused are refused again without work', async () => {
    const refusal = new WorkerRefusal('unsupported_schema', 'not: is not enforced')
    const { plans, compiled } = plansThat(refusal)
    for (let round = 0; round < 2; round += 1) {
      await expect(plans.planFor('a', json('1'))).rejects.toBe(refusal)
    }
    expect(compiled.length).toBe(1)
  })

  it.each([
    new CompileTimeout('takes more than 250 ms to compile'),
    new WorkerRefusal('queue_full', 'too many schemas wait'),
    new Error('a mistake'),
  ])('are tried again after what may pass: %s', async (passing) => {
    const { plans, compiled } = plansThat(passing, plan())
    await expect(plans.planFor('a', json('1'))).rejects.toBe(passing)
    await expect(plans.planFor('a', json('1'))).resolves.toEqual(plan())
    expect(compiled.length).toBe(2)
  })
})
