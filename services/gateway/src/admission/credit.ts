/** What a caller is told whose account has no credit, before anybody counted what it asks for. */
import { ServiceError } from '@svc/contracts/errors'
import { formatExact, type PicoDollars } from '@svc/contracts/money'
import { type Rates, worstCase } from '@svc/contracts/price'

/** A request has at least one token to read and one to write. */
const LEAST_TOKENS = 1

/** @param rates of the model, where it is known which */
export function noCredit(settled: PicoDollars, rates?: Rates | null): ServiceError {
  const least = rates ? worstCase(rates, LEAST_TOKENS, LEAST_TOKENS) : 0n
  const needed = rates ? `at least $${formatExact(least)}` : 'more than $0'
  const available = settled < 0n ? `-$${formatExact(-settled)}` : `$${formatExact(settled)}`
  const message = `The balance does not cover it: the request needs ${needed}, available is ${available}.`
  return new ServiceError('insufficient_quota', message)
}
