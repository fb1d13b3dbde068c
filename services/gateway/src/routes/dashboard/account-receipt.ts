/** A receipt as the pages show it: that of the public API, and since when its price is valid. */
import type { dashboardAccountOperations } from '@svc/contracts/dashboard/operations'
import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import { callerOf } from '../../admission/callers.ts'
import { type BillingPorts, receiptFor } from '../billing.ts'

type Answer = z.output<typeof dashboardAccountOperations.receipt.output>

export function accountReceiptRoute(ports: BillingPorts) {
  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: ports.reads.hooks }
    app.get<{ Params: { id: string } }>('/requests/:id', options, async (request) => {
      const receipt = await receiptFor(ports, callerOf(request).accountId, request.params.id)
      const price = { ...receipt.price, effective_from: validFrom(ports, receipt.price.version) }
      return { ...receipt, price } as Answer
    })
  }
}

/** Prices that another process published a moment ago may not be known here yet. */
function validFrom({ ledger }: Pick<BillingPorts, 'ledger'>, version: string): string | null {
  const price = ledger.prices().find((each) => each.version === version)
  return price === undefined ? null : new Date(price.effectiveFrom).toISOString()
}
