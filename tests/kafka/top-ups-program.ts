/** Takes top-ups in a process of its own, for tests that kill it. The ledger is asked over HTTP. */
import { parseArgs } from 'node:util'
import { KafkaBus } from '@svc/infra/bus/kafka/kafka-bus'
import { systemTimer } from '@svc/infra/system/system-timer'
import { createRemoteOperations } from '@svc/operator/remote/remote-operations'
import { TopUps } from '@svc/relay/top-ups'

const { values } = parseArgs({
  options: {
    brokers: { type: 'string', default: '' },
    topic: { type: 'string', default: '' },
    /** Of the admin API. */
    url: { type: 'string', default: '' },
    token: { type: 'string', default: '' },
  },
})

const bus = new KafkaBus({ brokers: values.brokers.split(','), timer: systemTimer })
const topUps = new TopUps({
  bus,
  topic: values.topic,
  group: 'svc',
  timer: systemTimer,
  log: { warn() {}, error: (fields, message) => tell(message, fields) },
})
const { signal } = new AbortController()
const operations = createRemoteOperations({
  baseUrl: values.url,
  operatorToken: values.token,
  signal,
})
topUps.start(operations.grant, operations.previewGrant)
// For a test that waits in vain.
process.on('SIGUSR2', () => {
  const { waiting, ...state } = topUps.status()
  tell(`consumer ${process.pid}`, { ...state, waiting: `${waiting}` })
})
process.once('SIGTERM', async () => {
  await topUps.stop()
  await bus.close()
  // As the server does: what kafkajs still waits for must keep no process alive.
  process.exit(0)
})

function tell(message: string, fields: object): void {
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
}
