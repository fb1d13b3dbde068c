/**
 * Everything that is promised of Kafka, on real brokers that Maven brings: the bus, the feed, the
 * top-ups, and that the proof of the sender finds faults that are planted.
 *
 *     npm run test:kafka [-- --brokers 3] [--faults 200] [--seed 7]
 *
 * It ends with one line: how many tests passed, and how many failed.
 */
import { spawnSync } from 'node:child_process'
import { readOptions } from '@svc/testing/read-options'

const PLACES = ['infra/bus', 'services/relay', 'tests/kafka']

/** Two hundred faults on three brokers take less. */
const RUN_MS_MAX = 4 * 3_600_000

const values = readOptions(
  {
    brokers: { type: 'string', default: '1' },
    faults: { type: 'string', default: '20' },
    seed: { type: 'string' },
  },
  { numbers: ['seed'] },
)
const reporters = [
  '--reporter=default',
  '--reporter=./services/dashboard/testing/count-reporter.ts',
]
// Each file has brokers of its own and bounds on how long they may take: one after the other.
const inTurn = '--no-file-parallelism'
const { status } = spawnSync('vitest', ['run', ...PLACES, inTurn, ...reporters], {
  stdio: 'inherit',
  timeout: RUN_MS_MAX,
  env: {
    ...process.env,
    SVC_KAFKA_FAULTS: values.faults,
    SVC_KAFKA_BROKERS: values.brokers,
    SVC_KAFKA_PLANTED: 'on',
    ...(values.seed === undefined ? {} : { SVC_KAFKA_SEED: values.seed }),
  },
})
process.exitCode = status ?? 1
