/** A server with nothing but the admin routes, for the tests of both of their sides. */

import type { Caller } from '@svc/contracts/admin/caller'
import { ADMIN_PREFIX } from '@svc/contracts/admin/declaration'
import type { Operations } from '@svc/contracts/admin/operations'
import { asServiceError, refuse } from '@svc/gateway/http/error-response'
import { mounted } from '@svc/gateway/http/mounted'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { MemoryRateLimits } from '@svc/infra/rate-limits/memory-rate-limits'
import { type AdminRoutes, adminRoutes } from '@svc/operator/http/admin-routes'
import Fastify from 'fastify'
import { adminTokensOn } from './admin-access.ts'
import { withDeclaredAnswers } from './declared-answers.ts'

const BAD_TOKENS_PER_MINUTE = 20

export interface AdminServer {
  readonly baseUrl: string
  close(): Promise<void>
}

type Served = Omit<AdminRoutes, 'operationsOf' | Defaulted> &
  Partial<Pick<AdminRoutes, Defaulted>> &
  ({ readonly operations: Operations } | { readonly operationsOf: (caller: Caller) => Operations })
type Defaulted = 'adminTokens' | 'rateLimits' | 'badTokensPerMinute'

/** @param served `operations` are the same for every caller; by default there is no admin token */
export async function startAdminServer({
  adminTokens = adminTokensOn(new MemoryEventStore()),
  rateLimits = new MemoryRateLimits(),
  badTokensPerMinute = BAD_TOKENS_PER_MINUTE,
  ...served
}: Served): Promise<AdminServer> {
  const app = Fastify()
  app.setErrorHandler((cause, _request, reply) => refuse(reply, asServiceError(cause)))
  await app.register(
    mounted(
      adminRoutes({
        ...served,
        adminTokens,
        rateLimits,
        badTokensPerMinute,
        operationsOf: (caller) =>
          withDeclaredAnswers(
            'operations' in served ? served.operations : served.operationsOf(caller),
          ),
      }),
    ),
    { prefix: ADMIN_PREFIX },
  )
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    baseUrl,
    async close() {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}
