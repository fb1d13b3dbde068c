import { BusRewoundError } from '@svc/contracts/ports/bus'
import { expect, test } from 'vitest'
import { describeBus } from '../bus.suite.ts'
import { MemoryBus } from './memory-bus.ts'
import { MemoryCluster } from './memory-cluster.ts'

const cluster = new MemoryCluster()
describeBus('memory', () => new MemoryBus(cluster))

test('a delivery behind records that are lost is refused once, so that they are sent again', async () => {
  const lossy = new MemoryCluster()
  const topic = await new MemoryBus(lossy).open({ name: 'lossy', partitions: 1 })
  const { signal } = new AbortController()
  const records = ['a', 'b'].map((value) => ({ key: 'k', value, headers: {} }))
  await topic.deliver(records, signal)
  lossy.lose('lossy', 0, 1)
  await expect(topic.deliver(records, signal)).rejects.toThrow(BusRewoundError)
  await topic.deliver(records, signal)
  expect(await topic.ends()).toEqual([3n])
})
