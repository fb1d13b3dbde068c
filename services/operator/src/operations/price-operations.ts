/** The price list. */
import type { Caller } from '@svc/contracts/admin/caller'
import type { Operations } from '@svc/contracts/admin/operations'
import { ServiceError } from '@svc/contracts/errors'
import { resolveModel } from '@svc/contracts/wire/models'
import type { OperationPorts } from './ports.ts'
import { priceDetails } from './values/details.ts'
import { readPrice } from './values/input-values.ts'
import { readOptionalTime } from './values/rfc3339-times.ts'

export function priceOperations(
  { ledger }: OperationPorts,
  { actor }: Caller,
): Pick<Operations, 'publishPrice' | 'listPrices'> {
  return {
    async publishPrice({ model, effective_from: effectiveFrom, ...rates }) {
      const from = readOptionalTime(effectiveFrom, 'effective_from')
      const price = await ledger.publishPrice({
        model: readModel(model),
        rates: {
          input: readPrice(rates.input, 'input'),
          cachedInput: readPrice(rates.cached_input, 'cached_input'),
          output: readPrice(rates.output, 'output'),
        },
        ...(from === null ? {} : { effectiveFrom: from }),
        actor,
      })
      return priceDetails(price)
    },
    listPrices: async () => ledger.prices().map(priceDetails),
  }
}

function readModel(name: string): string {
  const model = resolveModel(name)
  if (model !== undefined) return model
  throw new ServiceError('invalid_value', `model: there is no model "${name}"`, { param: 'model' })
}
