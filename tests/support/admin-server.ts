/** A server with nothing but the admin routes, for the tests of both of their sides. */

import { ADMIN_PREFIX } from '@svc/contracts/admin/declaration'
import { mounted } from '@svc/gateway/http/mounted'
import { type AdminRoutes, adminRoutes } from '@svc/operator/http/admin-routes'
import Fastify from 'fastify'
import { withDeclaredAnswers } from './declared-answers.ts'

export interface AdminServer {
  readonly baseUrl: string
  close(): Promise<void>
}

export async function startAdminServer(options: AdminRoutes): Promise<AdminServer> {
  const app = Fastify()
  await app.register(
    mounted(adminRoutes({ ...options, operations: withDeclaredAnswers(options.operations) })),
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
