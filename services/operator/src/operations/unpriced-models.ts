/** Models that are served without a price: operators see a warning, customers a refusal. */

import type { WorkerSummary } from '@svc/contracts/admin/workers'
import { MODEL } from '@svc/contracts/wire/models'
import type { Pricing } from '@svc/ledger/ledger'

/** This command mends it, in dollars per million tokens. */
export const PUBLISH_A_PRICE = 'price publish --input USD --cached-input USD --output USD'

export interface UnpricedModels {
  readonly names: readonly string[]
  /** When an announced price takes effect, so that they are sold; null: none is announced. */
  readonly pricedFrom: number | null
}

/** @returns the models of these workers for which no price is in force */
export function unpricedModels(
  pricing: Pick<Pricing, 'current' | 'next'>,
  workers: readonly WorkerSummary[],
): UnpricedModels {
  const unpriced = workers.filter(
    ({ model_name, toy }) => model_name !== '' && pricing.current(MODEL, toy) === null,
  )
  const names = [...new Set(unpriced.map(({ model_name }) => model_name))]
  const next = names.length === 0 ? null : pricing.next(MODEL)
  return { names, pricedFrom: next?.effectiveFrom ?? null }
}
