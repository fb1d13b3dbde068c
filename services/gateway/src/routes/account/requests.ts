/** The requests of the account of a key. */
import { type RequestsAnswer, requestsQuery } from '@svc/contracts/wire/requests'
import { type RequestListViews, requestsPage } from '@svc/projections/requests-answer'
import type { FastifyInstance } from 'fastify'
import { callerOf } from '../../admission/callers.ts'
import type { Reads } from '../../admission/reads.ts'
import { type OwnViews, viewHolds } from './own-views.ts'
import { readQuery } from './query.ts'

export interface RequestListPorts extends OwnViews {
  readonly reads: Pick<Reads, 'hooks'>
  readonly views: RequestListViews
}

export function requestRoutes(ports: RequestListPorts) {
  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: ports.reads.hooks }
    app.get('/requests', options, async (request): Promise<RequestsAnswer> => {
      const { accountId } = callerOf(request)
      const query = readQuery(requestsQuery, request.query)
      const names = ['usage', 'requests'] as const
      await Promise.all(names.map((name) => viewHolds(ports, name, accountId)))
      return requestsPage(ports.views, accountId, query)
    })
  }
}
