/** A server with nothing but the admin routes, for the tests of both of their sides. */

import { ADMIN_PREFIX } from '@svc/contracts/admin/declaration'
import type { Operations } from '@svc/contracts/admin/operations'
import { asServiceError, refuse } from '@svc/gateway/http/error-response'
import { mounted } from '@svc/gateway/http/mounted'
import { type AdminRoutes, adminRoutes } from '@svc/operator/http/admin-routes'
import Fastify from 'fastify'
import { withDeclaredAnswers } from './declared-answers.ts'

export interface AdminServer {
  readonly baseUrl: string
  close(): Promise<void>
}

/** @param served the same `operations` for every caller */
export async function startAdminServer({
  operations,
  ...served
}: Omit<AdminRoutes, 'operationsOf'> & { readonly operations: Operations }): Promise<AdminServer> {
  const app = Fastify()
  app.setErrorHandler((cause, _request, reply) => refuse(reply, asServiceError(cause)))
  await app.register(
    mounted(adminRoutes({ ...served, operationsOf: () => withDeclaredAnswers(operations) })),
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
