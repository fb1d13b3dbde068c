/** Refuses accounts without credit, before anybody counts what they ask for. */
import { ServiceError } from '@svc/contracts/errors'
import { insufficientFundsText } from '@svc/contracts/insufficient-funds'
import { type Rates, worstCase } from '@svc/contracts/price'
import type { Balance, Ledger } from '@svc/ledger/ledger'
import type { WorkerPool } from '../routing/worker-pool.ts'

/** A request has at least one token to read and one to write. */
const LEAST_TOKENS = 1

export interface CreditPorts {
  readonly ledger: Pick<Ledger, 'recentBalance' | 'recentPriceList' | 'pricing'>
  readonly workers: Pick<WorkerPool, 'workers'>
}

/** @throws {ServiceError} `insufficient_quota`, with the least that a request to the model needs */
export async function requireCredit(
  { ledger, workers }: CreditPorts,
  accountId: string,
  model: string,
): Promise<void> {
  const balance = await ledger.recentBalance(accountId)
  if (balance.settled > 0n) return
  const onBundledModel = workers.workers.some(({ health }) => health?.toy === true)
  const priceList = await ledger.recentPriceList(accountId)
  throw noCredit(balance, ledger.pricing.current(model, onBundledModel, priceList))
}

/** @param rates that the account pays for the model, where it is known which */
export function noCredit(balance: Balance, rates?: Rates | null): ServiceError {
  const { available, held } = balance
  const required = rates ? worstCase(rates, LEAST_TOKENS, LEAST_TOKENS) : null
  const message = insufficientFundsText(required, 'at least', balance)
  return new ServiceError('insufficient_quota', message, { funds: { required, available, held } })
}
