/**
 * Plans that were made before: the same tools come with every turn of a conversation. Each tenant
 * has a share of its own, so that none can push out what others need. What was refused is kept as
 * well: the same schema is refused again without any work.
 */
import { hash } from 'node:crypto'
import type { AnswerPlan } from '@svc/contracts/worker/protocol'
import { RecentlyUsed } from '@svc/infra/recently-used'
import { WorkerRefusal } from '../protocol/refusal.ts'
import { type Asked, FREE, isFree } from './answer-plan.ts'
import { CompileTimeout } from './compile-threads.ts'

/** Plans that are kept of one tenant, and characters of their grammars. */
const TENANT_PLANS_MAX = 64
const TENANT_CHARACTERS_MAX = 2 * 1024 * 1024
/** Tenants of whom plans are kept. */
const TENANTS_MAX = 64

/**
 * Makes a plan of what was asked, which comes as JSON.
 *
 * @throws WorkerRefusal
 */
export type CompilePlan = (tenant: string, asked: string) => Promise<AnswerPlan>

type Outcome = { readonly plan: AnswerPlan } | { readonly refusal: WorkerRefusal }

export class AnswerPlans {
  readonly #compile: CompilePlan
  readonly #tenants = new RecentlyUsed<string, RecentlyUsed<string, Outcome>>({
    entriesMax: TENANTS_MAX,
  })
  /**
   * Plans that are being made, by tenant and request, so that a plan that is asked for twice is
   * made once.
   */
  readonly #making = new Map<string, Promise<AnswerPlan>>()

  constructor(compile: CompilePlan) {
    this.#compile = compile
  }

  /**
   * @throws WorkerRefusal when the output format cannot be enforced, no tool can be called, or
   *   too much is to be compiled
   */
  async planFor(tenant: string, asked: Asked): Promise<AnswerPlan> {
    if (isFree(asked)) return FREE
    const json = JSON.stringify(factsOf(asked))
    const key = hash('sha256', json, 'base64')
    const known = this.#ofTenant(tenant).get(key)
    if (known !== undefined) {
      if ('plan' in known) return known.plan
      throw known.refusal
    }
    const flight = `${tenant} ${key}`
    const making = this.#making.get(flight) ?? this.#make(tenant, key, json)
    this.#making.set(flight, making)
    return making.finally(() => this.#making.delete(flight))
  }

  async #make(tenant: string, key: string, json: string): Promise<AnswerPlan> {
    try {
      const plan = await this.#compile(tenant, json)
      this.#ofTenant(tenant).set(key, { plan })
      return plan
    } catch (error) {
      // Only lasting refusals are remembered: a full queue passes, and a timeout may be the
      // machine's fault.
      const lasts = error instanceof WorkerRefusal && error.code !== 'queue_full'
      if (lasts && !(error instanceof CompileTimeout)) {
        this.#ofTenant(tenant).set(key, { refusal: error })
      }
      throw error
    }
  }

  #ofTenant(tenant: string): RecentlyUsed<string, Outcome> {
    return this.#tenants.getOrMake(tenant, () => {
      const of = (_key: string, outcome: Outcome) =>
        'plan' in outcome ? (outcome.plan.grammar?.length ?? 0) : outcome.refusal.message.length
      const weight = { max: TENANT_CHARACTERS_MAX, of }
      return new RecentlyUsed<string, Outcome>({ entriesMax: TENANT_PLANS_MAX, weight })
    })
  }
}

/** What a plan depends on: not what a tool is good for. */
function factsOf({ toolUse, outputFormat, thinking }: Asked): Asked {
  if (toolUse === null) return { toolUse, outputFormat, thinking }
  const tools = toolUse.tools.map(({ name, parameters }) => ({ name, parameters }))
  return { toolUse: { ...toolUse, tools }, outputFormat, thinking }
}
