import { ManualTime } from '@svc/testing/manual-time'
import { type Kafka, KafkaJSConnectionError } from 'kafkajs'
import { expect, test } from 'vitest'
import { readTopic } from './topic-reader.ts'

test('a read that its caller gives up between two tries is not tried again', async () => {
  const time = new ManualTime()
  const giveUp = new AbortController()
  const cluster = unreachable()
  const reading = readTopic({
    client: cluster.client,
    timer: time,
    topic: 'svc.ledger',
    offsets: [{ partition: 0, low: 0n, high: 1n }],
    take: () => {},
    signal: giveUp.signal,
  }).catch((reason) => reason)
  await time.advance(1)
  giveUp.abort('the operator left')
  expect(await time.until(reading)).toBe('the operator left')
  expect(cluster.consumers).toBe(1)
})

/** A client of brokers that refuse every connection. */
function unreachable() {
  const refuse = () =>
    Promise.reject(new KafkaJSConnectionError('Connection error', { broker: '127.0.0.1:1' }))
  const connection = { connect: refuse, disconnect: async () => {} }
  const cluster = {
    consumers: 0,
    client: {
      consumer() {
        cluster.consumers += 1
        return { ...connection, events: { CRASH: 'consumer.crash' }, on: () => () => {} }
      },
      admin: () => connection,
    } as unknown as Kafka,
  }
  return cluster
}
