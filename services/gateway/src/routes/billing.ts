/** Money over an API key: the balance, from the ledger itself, and receipts, from the views. */
import { ServiceError } from '@svc/contracts/errors'
import { isId } from '@svc/contracts/ids'
import { formatExact } from '@svc/contracts/money'
import type { Position } from '@svc/contracts/ports/event-store'
import type { BalanceAnswer, Receipt } from '@svc/contracts/wire/billing'
import type { Ledger } from '@svc/ledger/ledger'
import { receiptOf } from '@svc/projections/receipt'
import type { Views } from '@svc/projections/views'
import type { FastifyInstance } from 'fastify'
import { callerOf } from '../admission/callers.ts'
import type { Reads } from '../admission/reads.ts'

/** How long a receipt waits for the views to hold what the caller has done last. */
const READ_YOUR_WRITES_MS = 2_000

export interface BillingPorts {
  readonly ledger: Ledger
  readonly reads: Pick<Reads, 'hooks'>
  readonly views: Pick<Views, 'request'>
  /** Asked about the view of the receipts alone: no other view can hold them up. */
  viewsReached(position: Position, timeoutMs: number): Promise<boolean>
}

export function billingRoutes(ports: BillingPorts) {
  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: ports.reads.hooks }
    app.get('/v1/balance', options, async (request): Promise<BalanceAnswer> => {
      const balance = await ports.ledger.balance(callerOf(request).accountId)
      return {
        object: 'balance',
        currency: 'USD',
        settled: formatExact(balance.settled),
        held: formatExact(balance.held),
        available: formatExact(balance.available),
      }
    })
    app.get<{ Params: { id: string } }>('/v1/requests/:id', options, (request) =>
      receiptFor(ports, callerOf(request).accountId, request.params.id),
    )
  }
}

async function receiptFor(
  { ledger, views, viewsReached }: BillingPorts,
  accountId: string,
  requestId: string,
): Promise<Receipt> {
  if (!isId('req', requestId)) throw notFound()
  const position = ledger.lastPosition(accountId)
  if (position !== undefined && !(await viewsReached(position, READ_YOUR_WRITES_MS))) {
    throw new ServiceError('view_behind', 'The receipts are behind. Please try again.', {
      retryAfterSeconds: 1,
    })
  }
  const row = await views.request(requestId)
  if (row?.accountId !== accountId) throw notFound()
  return receiptOf(row)
}

/** The same for a request that never was and for one of somebody else. */
function notFound(): ServiceError {
  return new ServiceError('not_found', 'There is no such request.', { param: 'id' })
}
