/**
 * For supervisors and load balancers: alive, and ready to take requests. They show nothing else.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { FastifyInstance } from 'fastify'
import { overloaded } from '../routing/worker-failure.ts'
import type { WorkerPool } from '../routing/worker-pool.ts'

export function healthRoutes(workers: Pick<WorkerPool, 'workers'>, isDraining: () => boolean) {
  return async (app: FastifyInstance): Promise<void> => {
    // Some clients probe `/health` before they send anything.
    for (const path of ['/livez', '/health', '/api/hello']) {
      app.get(path, () => ({ status: 'alive' }))
    }
    app.get('/readyz', () => {
      if (isDraining()) throw new ServiceError('shutting_down', 'The server is stopping.')
      if (workers.workers.some(({ ready }) => ready)) return { status: 'ready' }
      throw overloaded('No inference worker is ready.')
    })
  }
}
