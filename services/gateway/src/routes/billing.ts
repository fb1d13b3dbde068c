/** Money over an API key: the balance, from the ledger itself, and receipts, from the views. */
import { formatExact } from '@svc/contracts/money'
import type { BalanceAnswer, Receipt } from '@svc/contracts/wire/billing'
import type { Balance, Ledger } from '@svc/ledger/ledger'
import { receiptOf } from '@svc/projections/receipt'
import type { Views } from '@svc/projections/views'
import type { FastifyInstance } from 'fastify'
import { callerOf } from '../admission/callers.ts'
import type { Reads } from '../admission/reads.ts'
import { ownRequest } from './account/own-request.ts'
import { type OwnViews, viewHolds } from './account/own-views.ts'

export interface BillingPorts extends OwnViews {
  readonly ledger: Ledger
  readonly reads: Pick<Reads, 'hooks'>
  readonly views: Pick<Views, 'request' | 'key'>
}

export function balanceRoute({ ledger, reads }: Pick<BillingPorts, 'ledger' | 'reads'>) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/balance', { onRequest: reads.hooks }, async (request): Promise<BalanceAnswer> => {
      return balanceAnswerOf(await ledger.balance(callerOf(request).accountId))
    })
  }
}

export function receiptRoute(ports: BillingPorts) {
  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: ports.reads.hooks }
    app.get<{ Params: { id: string } }>('/requests/:id', options, (request) =>
      receiptFor(ports, callerOf(request).accountId, request.params.id),
    )
  }
}

export function balanceAnswerOf({ settled, held, available }: Balance): BalanceAnswer {
  return {
    object: 'balance',
    currency: 'USD',
    settled: formatExact(settled),
    held: formatExact(held),
    available: formatExact(available),
  }
}

/** @throws {ServiceError} `not_found`, `view_behind` */
async function receiptFor(
  ports: Omit<BillingPorts, 'reads'>,
  accountId: string,
  id: string,
): Promise<Receipt> {
  const row = await ownRequest(ports, accountId, id)
  await viewHolds(ports, 'usage', accountId)
  return receiptOf(row, ports.views.key(row.keyId)?.name ?? null, ports.ledger.pricing.published())
}
