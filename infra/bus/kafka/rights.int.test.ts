/** A user that may write the topic of the feed, and has no right on groups that read it. */
import { randomUUID } from 'node:crypto'
import { BusRefusedError } from '@svc/contracts/ports/bus'
import { describeOnOwnKafka } from '@svc/testing/kafka/describe-on-kafka'
import { CLUSTER_START_MS_MAX, KafkaCluster } from '@svc/testing/kafka/kafka-cluster'
import kafkajs from 'kafkajs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemTimer } from '../../system/system-timer.ts'
import { recordOf } from '../bus.suite.ts'
import { clientConfig, KafkaBus } from './kafka-bus.ts'

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs
const SETTINGS = {
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'allow.everyone.if.no.acl.found': 'true',
}
const never = new AbortController().signal

describeOnOwnKafka('Kafka that lets nobody read in a group of svc', () => {
  let cluster: KafkaCluster
  beforeAll(async () => {
    cluster = await KafkaCluster.start({ settings: SETTINGS })
    await rule(AclOperationTypes.READ, AclPermissionTypes.DENY)
  }, CLUSTER_START_MS_MAX)
  afterAll(() => cluster.close())

  async function rule(operation: number, permissionType: number): Promise<void> {
    const admin = new kafkajs.Kafka(clientConfig({ brokers: cluster.addresses })).admin()
    await admin.connect()
    const group = {
      resourceType: AclResourceTypes.GROUP,
      resourceName: 'svc-read-',
      resourcePatternType: ResourcePatternTypes.PREFIXED,
    }
    const acl = { ...group, principal: 'User:ANONYMOUS', host: '*', operation, permissionType }
    await admin.createAcls({ acl: [acl] })
    await admin.disconnect()
  }

  test.each(['hidden', 'shown'])('refuses to read by a group that is %s', async (state) => {
    if (state === 'shown') await rule(AclOperationTypes.DESCRIBE, AclPermissionTypes.ALLOW)
    const bus = new KafkaBus({ brokers: cluster.addresses, timer: systemTimer })
    try {
      const topic = await bus.open({ name: `svc-test-${randomUUID()}`, partitions: 1 })
      await topic.deliver([recordOf('a', 'one')], never)
      await expect(topic.last(never)).rejects.toThrow(BusRefusedError)
      await expect(topic.read(() => {}, never)).rejects.toThrow(/Read on the (consumer )?group/)
    } finally {
      await bus.close()
    }
  })
})
