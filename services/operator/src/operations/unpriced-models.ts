/** What is served and cannot be sold: operators are told, customers only get a refusal. */

import type { WorkerLine } from '@svc/contracts/admin/worker-answers'
import { MODEL } from '@svc/contracts/wire/models'
import type { Ledger } from '@svc/ledger/ledger'

/** What mends it, in dollars per million tokens. */
export const PUBLISH_A_PRICE = 'price publish --input USD --cached-input USD --output USD'

/** @returns the names of the models of these workers for which no price is in force */
export function unpricedModels(
  ledger: Pick<Ledger, 'currentPrice'>,
  workers: readonly WorkerLine[],
): readonly string[] {
  const unpriced = workers.filter(
    ({ modelName, toy }) => modelName !== '' && ledger.currentPrice(MODEL, toy) === null,
  )
  return [...new Set(unpriced.map(({ modelName }) => modelName))]
}
