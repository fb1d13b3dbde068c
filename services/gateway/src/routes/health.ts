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

interface ReadinessPorts {
  readonly workers: Pick<WorkerPool, 'workers'>
  /** Whether a server without a worker is not ready. */
  readonly runsModel: boolean
  /** Tells how the ledger is. Without it only the workers count. */
  readonly ledgerHealth: Pick<LedgerHealth, 'problems'> | undefined
}

/** @returns why requests are better sent elsewhere, in words for anybody; else nothing */
export async function readinessProblems(ports: ReadinessPorts): Promise<readonly string[]> {
  const { workers, runsModel, ledgerHealth } = ports
  const problems = [...((await ledgerHealth?.problems()) ?? [])]
  const lacksWorker = runsModel && !workers.workers.some(({ ready }) => ready)
  if (lacksWorker) problems.push('no inference worker is ready')
  return problems
}

export interface HealthPorts {
  readonly ledgerHealth: Pick<LedgerHealth, 'details'> | undefined
  readonly problems: () => Promise<readonly string[]>
  isDraining(): boolean
}

export function healthRoutes({ problems: findProblems, ledgerHealth, isDraining }: HealthPorts) {
  return async (app: FastifyInstance): Promise<void> => {
    // Some clients probe `/health` before they send anything.
    for (const path of ['/livez', '/health', '/api/hello']) {
      app.get(path, () => ({ status: 'alive' }))
    }
    app.get('/readyz', async () => {
      if (isDraining()) throw serverStopping()
      const problems = await findProblems()
      if (problems.length === 0) {
        const details = ledgerHealth?.details() ?? []
        return details.length === 0 ? { status: 'ready' } : { status: 'ready', details }
      }
      throw overloaded(`Not ready: ${problems.join('; ')}.`)
    })
  }
}
