/** `npm run test:month`: the month of a made-up business in its full size. */
import { spawnSync } from 'node:child_process'

const SIZE = process.env.SVC_TEST_MONTH ?? '200x300000'
const RUN_MS_MAX = 3_600_000

const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', 'tests/month'],
  { stdio: 'inherit', timeout: RUN_MS_MAX, env: { ...process.env, SVC_TEST_MONTH: SIZE } },
)
process.exitCode = status ?? 1
