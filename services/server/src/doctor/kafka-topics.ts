/** The topics of Kafka that are set. None is made: a server does that. */
import { counted } from '@svc/contracts/counted'
import type { SeenTopic } from '@svc/infra/bus/kafka/look-at-topic'
import { systemTimer } from '@svc/infra/system/system-timer'
import { deadLetterPlan } from '@svc/relay/top-ups/dead-letters'
import { securityOf } from '../feed/kafka-security.ts'
import type { Settings } from '../settings/settings.ts'
import { type Finding, found, note, ok, problem } from './finding.ts'

/** @yields one finding where Kafka cannot be reached, and else one for each topic */
export async function* lookAtKafka(settings: Settings): AsyncGenerator<Finding, void> {
  const { KAFKA_BROKERS: brokers, SVC_KAFKA_TOPIC: name, SVC_KAFKA_PARTITIONS } = settings
  if (brokers === undefined) return
  const { lookAtSubscription, lookAtTopic } = await import('@svc/infra/bus/kafka/look-at-topic')
  const cluster = { brokers, security: securityOf(settings) }
  const plan = { name, partitions: SVC_KAFKA_PARTITIONS }
  const seen = await lookAtTopic({ ...cluster, plan }).catch((error: Error) => error)
  if (seen instanceof Error) {
    const advice = 'check that it runs, KAFKA_BROKERS, SVC_KAFKA_TLS, and the sign-in'
    return yield problem('Kafka', `${seen.message}: ${advice}`)
  }
  const has = counted(seen.brokerCount, 'broker')
  yield topicFinding('Kafka', `${has}, topic ${name}`, seen)
  const { SVC_KAFKA_TOPUPS_TOPIC: topic, SVC_KAFKA_TOPUPS_GROUP: group } = settings
  if (topic === undefined) return
  yield await found('top-ups', async () => {
    const skipped = await lookAtSubscription({ ...cluster, timer: systemTimer, topic, group })
    if (skipped === null) return ok('top-ups', `topic ${topic}, group ${group}`)
    return problem('top-ups', `topic ${topic} dropped ${skipped}: let them be sent again`)
  })
  const dead = deadLetterPlan(topic)
  yield await found('dead letters', async () =>
    topicFinding(
      'dead letters',
      `topic ${dead.name}`,
      await lookAtTopic({ ...cluster, plan: dead }),
    ),
  )
}

function topicFinding(check: string, what: string, { isThere, problems, warnings }: SeenTopic) {
  const says = isThere ? what : `${what}: svc makes it when it has something to write`
  if (problems.length > 0) return problem(check, `${says}: ${problems.join('; ')}`)
  return warnings.length > 0 ? note(check, `${says}: ${warnings.join('; ')}`) : ok(check, says)
}
