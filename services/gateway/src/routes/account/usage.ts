/** What an account used, and the key that asks. */
import { viewBehind } from '@svc/contracts/errors'
import { formatExact } from '@svc/contracts/money'
import { parsedQuery } from '@svc/contracts/parsed-input'
import type { Clock } from '@svc/contracts/ports/time'
import { type KeyAnswer, type UsageAnswer, usageQuery } from '@svc/contracts/wire/usage'
import { type UsageViews, usagePage } from '@svc/projections/usage-answer'
import type { KeyUsage, Views } from '@svc/projections/views'
import type { FastifyInstance } from 'fastify'
import { callerOf } from '../../admission/callers.ts'
import type { Reads } from '../../admission/reads.ts'
import { type OwnViews, viewHolds } from './own-views.ts'

export interface UsagePorts extends OwnViews {
  readonly reads: Pick<Reads, 'hooks'>
  readonly views: UsageViews & Pick<Views, 'key'>
  readonly clock: Clock
}

export function usageRoutes(ports: UsagePorts) {
  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: ports.reads.hooks }
    app.get('/usage', options, async (request): Promise<UsageAnswer> => {
      const { accountId } = callerOf(request)
      const query = parsedQuery(usageQuery, request)
      // Read before the views: a period that ends meanwhile is not called over.
      const nowMs = ports.clock.nowMs()
      await viewHolds(ports, 'usage', accountId)
      return usagePage(ports.views, accountId, query, nowMs)
    })
  }
}

export function keyRoute(ports: UsagePorts) {
  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: ports.reads.hooks }
    app.get('/key', options, async (request): Promise<KeyAnswer> => {
      const { accountId, keyId } = callerOf(request)
      await viewHolds(ports, 'usage', accountId)
      const key = ports.views.key(keyId)
      if (key === undefined) throw viewBehind()
      return keyAnswerOf(key)
    })
  }
}

function keyAnswerOf(key: KeyUsage): KeyAnswer {
  return {
    object: 'key',
    id: key.keyId,
    name: key.name,
    last_four: key.lastFour,
    created_at: new Date(key.createdAt).toISOString(),
    expires_at: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString(),
    last_used_at: key.lastUsedAt === null ? null : new Date(key.lastUsedAt).toISOString(),
    requests: key.requests,
    spent: formatExact(key.amount),
  }
}
