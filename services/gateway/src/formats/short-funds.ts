/** The amounts of a 402, as every format sends them: exact dollars. */
import type { ServiceError } from '@svc/contracts/errors'
import { formatExact } from '@svc/contracts/money'

const BALANCE_URL = '/v1/balance'

/** @returns what goes into the error object; nothing where the error is not about money */
export function shortFunds({ funds }: ServiceError) {
  if (funds === undefined) return {}
  const { required, available, held } = funds
  return {
    funds: {
      required: required === null ? null : formatExact(required),
      available: formatExact(available),
      held: formatExact(held),
      balance_url: BALANCE_URL,
    },
  }
}
