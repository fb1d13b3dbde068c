/**
 * A relay in a process of its own, for tests that kill it. It ends by itself when every event of
 * the log was found in the topic.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { KafkaBus } from '@svc/infra/bus/kafka/kafka-bus'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { FeedCheckpoint } from '@svc/relay/feed-checkpoint'
import { Relay } from '@svc/relay/relay'
import { MadeLog } from './made-log.ts'

const LOOK_AGAIN_MS = 50

const { values } = parseArgs({
  options: {
    brokers: { type: 'string', default: '' },
    topic: { type: 'string', default: '' },
    /** Has the checkpoint, and `end` when the log grows no more. */
    folder: { type: 'string', default: '' },
    /** Events in a second, since a time in milliseconds. */
    rate: { type: 'string', default: '' },
    since: { type: 'string', default: '' },
  },
})

const checkpointFile = `${values.folder}/checkpoint.json`
const endFile = `${values.folder}/end`

function sizeOfLog(): number {
  if (existsSync(endFile)) return Number(readFileSync(endFile, 'utf8'))
  return Math.floor(((Date.now() - Number(values.since)) * Number(values.rate)) / 1_000)
}

const bus = new KafkaBus({ brokers: values.brokers.split(','), timer: systemTimer })
const relay = new Relay({
  store: new MadeLog(sizeOfLog),
  bus,
  plan: { name: values.topic, partitions: 4 },
  checkpoints: { read: readCheckpoint, write: writeCheckpoint },
  pace: { step: async (work) => work() },
  clock: systemClock,
  timer: systemTimer,
  log: { info() {}, warn() {}, error: (fields, message) => tell(message, fields) },
})
relay.start()
const looking = setInterval(async () => {
  if (!existsSync(endFile) || Number(relay.status().position) + 1 < sizeOfLog()) return
  clearInterval(looking)
  await relay.stop()
  await bus.close()
}, LOOK_AGAIN_MS)

function readCheckpoint(): FeedCheckpoint | undefined {
  if (!existsSync(checkpointFile)) return undefined
  const kept = JSON.parse(readFileSync(checkpointFile, 'utf8'))
  return { ...kept, position: BigInt(kept.position), ends: kept.ends.map(BigInt) }
}

function writeCheckpoint({ position, ends, ...rest }: FeedCheckpoint): void {
  const record = { ...rest, position: `${position}`, ends: ends.map(String) }
  writeFileSync(`${checkpointFile}.new`, JSON.stringify(record), { flush: true })
  renameSync(`${checkpointFile}.new`, checkpointFile)
}

function tell(message: string, fields: object): void {
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
}
