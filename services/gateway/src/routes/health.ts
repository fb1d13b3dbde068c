/**
 * For supervisors and load balancers: alive, and ready to take requests.
 *
 * A server whose event log is away is alive: to end it helps nobody. It is not ready, and says
 * which part is at fault, without names and addresses: anybody may ask.
 */
import { serverStopping } from '@svc/contracts/errors'
import { overloaded } from '@svc/contracts/worker/failure'
import type { FastifyInstance } from 'fastify'
import type { WorkerPool } from '../routing/worker-pool.ts'
import type { LedgerHealth } from './ledger-health.ts'

export interface HealthPorts {
  readonly workers: Pick<WorkerPool, 'workers'>
  /** Whether a server without a worker is not ready. Default: it is not. */
  readonly runsModel?: boolean
  /** Tells how the ledger is. Without it only the workers count. */
  readonly ledgerHealth?: Pick<LedgerHealth, 'problems' | 'details'> | undefined
  isDraining(): boolean
}

export function healthRoutes({ workers, runsModel = true, ledgerHealth, isDraining }: HealthPorts) {
  const lacksWorker = () => runsModel && !workers.workers.some(({ ready }) => ready)
  return async (app: FastifyInstance): Promise<void> => {
    // Some clients probe `/health` before they send anything.
    for (const path of ['/livez', '/health', '/api/hello']) {
      app.get(path, () => ({ status: 'alive' }))
    }
    app.get('/readyz', async () => {
      if (isDraining()) throw serverStopping()
      const problems = [...((await ledgerHealth?.problems()) ?? [])]
      if (lacksWorker()) problems.push('no inference worker is ready')
      if (problems.length === 0) {
        const details = ledgerHealth?.details() ?? []
        return details.length === 0 ? { status: 'ready' } : { status: 'ready', details }
      }
      throw overloaded(`Not ready: ${problems.join('; ')}.`)
    })
  }
}
