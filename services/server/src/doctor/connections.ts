/** Every service that is set: whether it answers, lets us in, and is what it should be. */
import { workerAddress } from '@svc/contracts/worker/address'
import type { WorkerFailure } from '@svc/contracts/worker/failure'
import { WorkerClient } from '@svc/gateway/routing/worker-client'
import { securityOf } from '../feed/kafka-security.ts'
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

export async function lookAtRedis({ REDIS_URL: url }: Settings): Promise<readonly Finding[]> {
  if (url === undefined) return []
  const { lookAtServer } = await import('@svc/infra/prefix-store/redis/look-at-server')
  const { place, version, clockAheadMs } = await lookAtServer(url)
  return [ok('Redis', `version ${version} at ${place}`), clockFinding('Redis', clockAheadMs)]
}

/** Makes no topic: the relay of a server does. */
export async function lookAtKafka(settings: Settings): Promise<Finding> {
  const { KAFKA_BROKERS: brokers = [], SVC_KAFKA_TOPIC: name, SVC_KAFKA_PARTITIONS } = settings
  const { lookAtTopic } = await import('@svc/infra/bus/kafka/look-at-topic')
  const plan = { name, partitions: SVC_KAFKA_PARTITIONS }
  const topic = { brokers, security: securityOf(settings), plan }
  const seen = await lookAtTopic(topic).catch((error: Error) => error)
  if (seen instanceof Error) {
    const advice = 'check that it runs, KAFKA_BROKERS, SVC_KAFKA_TLS, and the sign-in'
    return problem('Kafka', `${seen.message}: ${advice} (${tlsText(settings)})`)
  }
  const { brokerCount, isThere, problems, warnings } = seen
  const says = `${brokerCount} brokers, topic ${name}${isThere ? '' : ': a start makes it'}`
  if (problems.length > 0) return problem('Kafka', `${says}: ${problems.join('; ')}`)
  return warnings.length > 0 ? note('Kafka', `${says}: ${warnings.join('; ')}`) : ok('Kafka', says)
}

/** Brokers and clients that disagree on TLS only see that a connection ends. */
function tlsText({ SVC_KAFKA_TLS: tls }: Settings): string {
  return tls === 'on' ? 'we speak TLS' : 'we speak without TLS: brokers with TLS hang up on that'
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
