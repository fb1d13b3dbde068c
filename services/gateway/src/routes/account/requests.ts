/** The requests of the account of a key, and what they come to. */
import { parsedQuery } from '@svc/contracts/parsed-input'
import type { Clock } from '@svc/contracts/ports/time'
import {
  type RequestsAnswer,
  type RequestTotalsAnswer,
  requestsQuery,
  requestTotalsQuery,
} from '@svc/contracts/wire/requests'
import { type RequestTotalsViews, requestTotals } from '@svc/projections/request-totals-answer'
import { type RequestListViews, requestsPage } from '@svc/projections/requests-answer'
import type { FastifyInstance } from 'fastify'
import { callerOf } from '../../admission/callers.ts'
import type { Reads } from '../../admission/reads.ts'
import { type OwnViews, viewHolds } from './own-views.ts'

export interface RequestListPorts extends OwnViews {
  readonly reads: Pick<Reads, 'hooks'>
  readonly views: RequestListViews & RequestTotalsViews
  readonly clock: Clock
}

export function requestRoutes(ports: RequestListPorts) {
  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: ports.reads.hooks }
    app.get('/requests', options, async (request): Promise<RequestsAnswer> => {
      const { accountId } = callerOf(request)
      const query = parsedQuery(requestsQuery, request)
      const names = ['usage', 'requests'] as const
      await Promise.all(names.map((name) => viewHolds(ports, name, accountId)))
      const catchUp = () => viewHolds(ports, 'requests', accountId)
      return requestsPage(ports.views, accountId, query, catchUp)
    })
    app.get('/requests/totals', options, async (request): Promise<RequestTotalsAnswer> => {
      const { accountId } = callerOf(request)
      const query = parsedQuery(requestTotalsQuery, request)
      // Read before the views: a period that ends meanwhile is not called over.
      const nowMs = ports.clock.nowMs()
      await viewHolds(ports, 'usage', accountId)
      return requestTotals(ports.views, accountId, query, nowMs)
    })
  }
}
