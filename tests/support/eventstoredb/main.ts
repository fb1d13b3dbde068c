/**
 * The double as a process of its own, so that a benchmark's client does not share its processor.
 *
 *     node tests/support/eventstoredb/main.ts [--port N] [--host H] [--version V] [--json]
 *         [--health]
 *
 * It prints its connection string when it is ready, with `--json` as `{"url":"…","pid":N}`. SIGTERM
 * ends it as the real server ends. With `--health` the port answers `/health/live` too, at the
 * price of one more hop for each call.
 */
import { writeSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { EventStoreDbDouble } from './eventstoredb-double.ts'
import { listenWithHealth } from './health-front.ts'

const STANDARD_OUTPUT = 1

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    // In a container connections come from elsewhere: 0.0.0.0.
    host: { type: 'string', default: '127.0.0.1' },
    version: { type: 'string' },
    json: { type: 'boolean', default: false },
    health: { type: 'boolean', default: false },
  },
})

const double = await EventStoreDbDouble.start({
  ...(values.health ? {} : { port: Number(values.port), host: values.host }),
  version: values.version,
})
if (values.health) {
  const place = { host: values.host, port: Number(values.port) }
  await listenWithHealth(place, Number(new URL(double.url).port))
}
const line = values.json ? JSON.stringify({ url: double.url, pid: process.pid }) : double.url
writeSync(STANDARD_OUTPUT, `${line}\n`)

process.once('SIGTERM', () => {
  void double.stop().then(() => process.exit(0))
})
