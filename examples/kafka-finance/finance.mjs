/**
 * Keeps the books of every account and month from the feed of svc.
 *
 *     export KAFKA_BROKERS=127.0.0.1:9092
 *     node finance.mjs [--books finance.db] [--topic svc.ledger] [--once]
 *
 * It may be killed at any moment and started again. With `--once` it ends when it has all that the
 * topic has now, prints the months as CSV, and exits 1 when the books do not add up.
 */
import { parseArgs } from 'node:util'
import kafkajs from 'kafkajs'
import { Books, COLUMNS } from './books.mjs'

const PICO_DIGITS = 12
const { values } = parseArgs({
  options: {
    books: { type: 'string', default: 'finance.db' },
    topic: { type: 'string', default: 'svc.ledger' },
    once: { type: 'boolean', default: false },
  },
})
const brokers = (process.env.KAFKA_BROKERS ?? '127.0.0.1:9092').split(',')
const kafka = new kafkajs.Kafka({ clientId: 'finance', brokers, logLevel: kafkajs.logLevel.ERROR })
const books = new Books(values.books)
const ends = values.once ? await endsOf(values.topic) : []
const consumer = kafka.consumer({ groupId: books.group, maxWaitTimeInMs: 500 })
// kafkajs does not come back from every error by itself. Whoever runs this starts it again.
consumer.on(consumer.events.CRASH, ({ payload }) => {
  if (payload.restart) return
  process.stderr.write(`${payload.error.message}\n`)
  process.exit(1)
})
if (isDone()) await finish()
else {
  await consumer.connect()
  await consumer.subscribe({ topics: [values.topic], fromBeginning: true })
  await consumer.run({ autoCommit: false, eachBatchAutoResolve: true, eachBatch: takeBatch })
}

/** In the books first, then passed: what comes again after a crash is known. */
async function takeBatch({ batch, commitOffsetsIfNecessary }) {
  const { topic, partition, messages } = batch
  books.add(partition, messages.map(recordOf))
  const offset = String(books.next(partition))
  await commitOffsetsIfNecessary({ topics: [{ topic, partitions: [{ partition, offset }] }] })
  if (isDone()) void finish()
}

function recordOf({ key, value, headers, offset }) {
  const { type, revision } = headers
  return { key: `${key}`, value: `${value}`, type: `${type}`, revision: Number(revision), offset }
}

function isDone() {
  return values.once && ends.every(({ partition, end }) => books.next(partition) >= end)
}

async function endsOf(topic) {
  const admin = kafka.admin()
  await admin.connect()
  const topics = await admin.listTopics()
  const found = topics.includes(topic) ? await admin.fetchTopicOffsets(topic) : []
  await admin.disconnect()
  if (found.length === 0) {
    // Empty books would add up.
    process.stderr.write(`There is no topic ${topic}: name that of SVC_KAFKA_TOPIC by --topic.\n`)
    process.exit(1)
  }
  return found.map(({ partition, high }) => ({ partition, end: BigInt(high) }))
}

async function finish() {
  await consumer.disconnect()
  const names = ['month', 'account', 'opening', ...COLUMNS, 'closing']
  process.stdout.write(`${names.join()}\n`)
  for (const line of books.months()) {
    const cells = names.map((name) =>
      typeof line[name] === 'bigint' ? dollars(line[name]) : line[name],
    )
    process.stdout.write(`${cells.join()}\n`)
  }
  const problems = books.problems()
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
  books.close()
}

/** Exact, with two decimals at least, as svc writes amounts. */
function dollars(pico) {
  const digits = String(pico < 0n ? -pico : pico).padStart(PICO_DIGITS + 1, '0')
  const cents = digits.slice(-PICO_DIGITS).replace(/0+$/, '').padEnd(2, '0')
  return `${pico < 0n ? '-' : ''}${digits.slice(0, -PICO_DIGITS)}.${cents}`
}
