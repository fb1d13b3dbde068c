/**
 * The operator's routes, mounted under `/admin/v1`: every operation that is declared, for the
 * holders of the root token and of admin tokens, and what stands beside the operations.
 */
import { parsedInput } from '@svc/contracts/parsed-input'
import type { RateLimits } from '@svc/contracts/ports/rate-limits'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { z } from 'zod'
import { AdminCallers } from '../access/admin-callers.ts'
import type { AdminTokens } from '../access/admin-tokens.ts'
import { METRICS_CONTENT_TYPE, type Metrics } from '../metrics/metrics.ts'
import { type OperationRoutes, operationRoutes } from './operation-routes.ts'
import { noncePattern, PROOF_PATH, serverProof } from './server-proof.ts'

const identityQuery = z.object({ nonce: z.string().regex(noncePattern) })

export interface AdminRoutes extends Pick<OperationRoutes, 'operationsOf'> {
  /** The root token of the first start. */
  readonly operatorToken: string
  readonly adminTokens: AdminTokens
  readonly rateLimits: RateLimits
  /** The number of wrong tokens that are looked at in a minute from one address. */
  readonly badTokensPerMinute: number
  /**
   * The address at which these routes listen, as in the record that the CLI finds the server by.
   */
  readonly address?: () => string
  /** The metrics. Without them `/metrics` is a path that is not there. */
  readonly metrics?: Pick<Metrics, 'text'>
}

export function adminRoutes(options: AdminRoutes): FastifyPluginAsync {
  const { operationsOf, operatorToken, address, metrics } = options
  const tokens = new AdminCallers({ ...options, rootToken: operatorToken })
  const callers: OperationRoutes['callers'] = {
    identify: ({ headers, ip, routeOptions }) =>
      routeOptions.config.leastRole === 'metrics'
        ? tokens.identifyForMetrics(headers.authorization, ip)
        : tokens.identify(headers.authorization, ip),
    requireStill: (caller) => tokens.requireStill(caller),
  }
  return async (app: FastifyInstance) => {
    // The routes go into this very context, so that its one look at the caller stands before them
    // too.
    await operationRoutes({ operationsOf, callers })(app, {})
    if (metrics !== undefined) {
      app.get('/metrics', { config: { leastRole: 'metrics' } }, (_request, reply) => {
        reply.type(METRICS_CONTENT_TYPE)
        return metrics.text()
      })
    }
    if (address !== undefined) {
      app.get(PROOF_PATH, { config: { leastRole: 'anybody' } }, ({ query }) => {
        const { nonce } = parsedInput(identityQuery, query)
        return { proof: serverProof(operatorToken, address(), nonce) }
      })
    }
  }
}
