/** Every service that is set: whether it answers, lets us in, and is what it should be. */
import { workerAddress } from '@svc/contracts/worker/address'
import type { WorkerFailure } from '@svc/contracts/worker/failure'
import { WorkerClient } from '@svc/gateway/routing/worker-client'
import type { ServerPlace } from '../settings/log-location.ts'
import type { Settings } from '../settings/settings.ts'
import { type Finding, note, ok, problem } from './finding.ts'

const READY_WITHIN_MS = 3_000

/** Writes nothing. @throws {StoreOpenError} that says why a start would be refused */
export async function lookAtEventStoreDb(place: ServerPlace): Promise<Finding> {
  const { lookAtServer } = await import('@svc/infra/event-store/eventstoredb/open-eventstoredb')
  const { url, streamPrefix } = place
  const seen = await lookAtServer({ url, streamPrefix, readyWithinMs: READY_WITHIN_MS })
  const says = `version ${seen.version} at ${seen.place}, streams ${streamPrefix}*`
  return ok('EventStoreDB', `${says}: may be read and written`)
}

export async function lookAtRedis({
  REDIS_URL: url,
  SVC_REDIS_PREFIX: keyPrefix,
}: Settings): Promise<readonly Finding[]> {
  if (url === undefined) return []
  const { lookAtServer } = await import('@svc/infra/prefix-store/redis/look-at-server')
  const { place, version, clockAheadMs } = await lookAtServer(url, keyPrefix)
  const answers = ok('Redis', `version ${version} at ${place}`)
  return clockAheadMs === null ? [answers] : [answers, clockFinding('Redis', clockAheadMs)]
}

export async function lookAtWorker(url: string, settings: Settings): Promise<Finding> {
  const check = `worker ${url}`
  const address = workerAddress(url, settings.SVC_WORKER_SECRET)
  if (address === undefined) {
    return problem(check, 'SVC_WORKER_SECRET is not set, which gateways and workers share')
  }
  const client = new WorkerClient(address)
  try {
    const { status, modelName, toy } = await client.health()
    const says = `${status}, ${modelName}${toy ? ' (a toy)' : ''}`
    return status === 'ready' ? ok(check, says) : note(check, says)
  } catch (error) {
    const { code, message } = error as WorkerFailure
    const advice =
      code === 'unauthorized'
        ? 'set SVC_WORKER_SECRET to the same for both'
        : 'check that it runs, and its address in SVC_WORKER_URLS'
    return problem(check, `${message}: ${advice}`)
  } finally {
    await client.close()
  }
}

/** Two clocks that differ by more than this make receipts that contradict each other. */
const CLOCK_DIFFERENCE_MS = 2_000

function clockFinding(whose: string, aheadMs: number): Finding {
  const difference = Math.round(Math.abs(aheadMs))
  if (difference <= CLOCK_DIFFERENCE_MS) {
    return ok('clock', `differs from that of ${whose} by ${difference} ms`)
  }
  const where = aheadMs > 0 ? 'ahead of' : 'behind'
  const seconds = Math.round(difference / 1_000)
  return problem('clock', `that of ${whose} is ${seconds} s ${where} ours: set both by NTP`)
}
