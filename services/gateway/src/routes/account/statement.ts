/** The statement of the account of a key. */
import { parsedQuery } from '@svc/contracts/parsed-input'
import type { Clock } from '@svc/contracts/ports/time'
import { type StatementAnswer, statementQuery } from '@svc/contracts/wire/statement'
import { statementPage } from '@svc/projections/statement-answer'
import type { Views } from '@svc/projections/views'
import type { FastifyInstance } from 'fastify'
import { callerOf } from '../../admission/callers.ts'
import type { Reads } from '../../admission/reads.ts'
import { type OwnViews, viewHolds } from './own-views.ts'

export interface StatementPorts extends OwnViews {
  readonly reads: Pick<Reads, 'hooks'>
  readonly views: Pick<Views, 'statement'>
  readonly clock: Clock
}

export function statementRoutes(ports: StatementPorts) {
  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: ports.reads.hooks }
    app.get('/statement', options, async (request): Promise<StatementAnswer> => {
      const { accountId } = callerOf(request)
      const query = parsedQuery(statementQuery, request)
      // Read before the views: a period that ends meanwhile is not called over.
      const nowMs = ports.clock.nowMs()
      await viewHolds(ports, 'statement', accountId)
      return statementPage(ports.views, accountId, query, nowMs)
    })
  }
}
