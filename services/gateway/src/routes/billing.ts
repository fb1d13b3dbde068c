/** Money over an API key: the balance, from the ledger itself, and receipts, from the views. */
import { formatExact } from '@svc/contracts/money'
import { type BalanceAnswer, EXPIRING_GRANTS_MAX, type Receipt } from '@svc/contracts/wire/billing'
import type { AccountCredit, Ledger } from '@svc/ledger/ledger'
import { receiptOf } from '@svc/projections/receipt'
import type { Views } from '@svc/projections/views'
import type { FastifyInstance } from 'fastify'
import { callerOf } from '../admission/callers.ts'
import type { Reads } from '../admission/reads.ts'
import { type OwnRequestPorts, ownRequest } from './account/own-request.ts'
import { viewHolds } from './account/own-views.ts'

export interface BillingPorts extends OwnRequestPorts {
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

export function balanceAnswerOf({
  settled,
  held,
  available,
  expiring,
}: AccountCredit): BalanceAnswer {
  return {
    object: 'balance',
    currency: 'USD',
    settled: formatExact(settled),
    held: formatExact(held),
    available: formatExact(available),
    expiring: {
      total: formatExact(expiring.total),
      grants: expiring.grants.slice(0, EXPIRING_GRANTS_MAX).map((grant) => ({
        grant_id: grant.grantId,
        remaining: formatExact(grant.remaining),
        expires_at: new Date(grant.expiresAt).toISOString(),
      })),
    },
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
