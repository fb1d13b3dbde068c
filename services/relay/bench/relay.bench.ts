/**
 * How fast the relay catches up with a log that is on a disk, to a real Kafka of one broker.
 *
 *     npm run bench:relay -- [--events 200000] [--json]
 */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { KafkaBus } from '@svc/infra/bus/kafka/kafka-bus'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { SharedPace } from '@svc/infra/system/shared-pace'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import { AccountHistory, START_MS } from '@svc/testing/account-history'
import { KafkaCluster } from '@svc/testing/kafka/kafka-cluster'
import { readOptions } from '@svc/testing/read-options'
import { makeTemporaryFolder } from '@svc/testing/temporary-folder'
import { Relay } from '../src/relay.ts'

const EVENTS_DEFAULT = 200_000
const ACCOUNTS = 100
const EVENTS_PER_REQUEST = 3
const PARTITIONS = 8
const LOOK_AGAIN_MS = 5

const values = readOptions({
  events: { type: 'string', default: `${EVENTS_DEFAULT}` },
  json: { type: 'boolean', default: false },
})

using folder = makeTemporaryFolder()
const store = openSqliteEventStore(join(folder.path, 'ledger.db'), {
  onFatal(error) {
    throw error
  },
})
await writeLog(Number(values.events))
const last = await store.lastPosition()
const cluster = await KafkaCluster.start()
const bus = new KafkaBus({ brokers: cluster.addresses, timer: systemTimer })
const plan = { name: 'svc.ledger', partitions: PARTITIONS }
await bus.open(plan)

const relay = new Relay({
  store,
  bus,
  plan,
  checkpoints: { read: () => undefined, write() {} },
  pace: new SharedPace(),
  clock: systemClock,
  timer: systemTimer,
  log: { info() {}, warn() {}, error: (_, message) => process.stderr.write(`${message}\n`) },
})
const [startedMs, cpu] = [performance.now(), process.cpuUsage()]
let peakBytes = 0
relay.start()
while (relay.status().position < last) {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  await delay(LOOK_AGAIN_MS)
}
const seconds = (performance.now() - startedMs) / 1_000
const { user, system } = process.cpuUsage(cpu)
const events = Number(last) + 1
const figures = {
  events,
  seconds: Number(seconds.toFixed(2)),
  events_per_second: Math.round(events / seconds),
  cpu_us_per_event: Number(((user + system) / events).toFixed(1)),
  peak_mib: Math.round(peakBytes / 1024 / 1024),
}
await relay.stop()
await bus.close()
await cluster.close()
await store.close()
const text = Object.entries(figures).map(([name, value]) => `${name} ${value}\n`)
process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : text.join(''))

async function writeLog(count: number): Promise<void> {
  const accounts = Array.from({ length: ACCOUNTS }, (_, at) => new AccountHistory(`a${at}`).open())
  const requests = Math.ceil(count / EVENTS_PER_REQUEST / ACCOUNTS)
  for (const account of accounts) {
    for (let at = 0; at < requests; at += 1) {
      const request = `req_${account.accountId}_${at}`
      account.accept(request, START_MS + at).settle(request, START_MS + at)
    }
    await account.writeTo(store)
  }
}
