import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** They promise to be done within a second or a few: nothing else runs beside them. */
const MEASURED = ['tests/inference/{client-gone,worker-killed}.e2e.test.ts']

/**
 * The suffix of a test says its cost: pure, with real files and processes, or a whole server. The
 * time limits are bounds against waiting for ever: on a machine that does ten things at once
 * everything takes ten times as long, and nothing is wrong.
 */
const projects = [
  { name: 'unit', suffix: 'test', testTimeout: 180_000, order: 0 },
  { name: 'integration', suffix: 'int.test', testTimeout: 180_000, order: 1 },
  { name: 'e2e', suffix: 'e2e.test', testTimeout: 180_000, order: 2, exclude: MEASURED },
  { name: 'browser', suffix: 'browser.test', testTimeout: 120_000, order: 2 },
  { name: 'e2e-measured', suffix: 'e2e.test', testTimeout: 180_000, order: 3, include: MEASURED },
]

/**
 * Most tests wait for a time limit, a disk or a process: a file of them takes between a sixth and
 * six tenths of a core (measured), so twice as many run at once as there are cores. Those with
 * whole servers take most.
 */
const WORKERS_MAX = 2 * availableParallelism()
const WORKERS_WITH_SERVERS_MAX = Math.max(3, availableParallelism() - 1)

function workersOf(project: string): number {
  if (project === 'e2e-measured') return 1
  return ['e2e', 'browser'].includes(project) ? WORKERS_WITH_SERVERS_MAX : WORKERS_MAX
}

/** As long as `until` waits. No test gives less, but where seconds are what is promised. */
const POLL_TIMEOUT_MS = 60_000

/** From 17 seconds up, the longest first: begun last, they would run alone at the end. */
const LONGEST = [
  'documents.e2e',
  'server-story.e2e',
  'service-streams.int',
  'full-disk.e2e',
  'slowness.int',
  'matrix.int',
  'history.e2e',
  'two-gateways.e2e',
  'kill.e2e',
  'damaged-stream.e2e',
  'kafka-faults.int',
  'roles.e2e',
  'top-ups-proof.e2e',
  'kill-rotation.e2e',
  'stop.e2e',
  'pages.browser',
  'start.e2e',
  'frozen-elsewhere.e2e',
  'complaints.e2e',
  'moved-ledger.int',
  'server-feed.e2e',
  'three-formats.e2e',
  'redis-away.e2e',
  'fleet-membership.e2e',
  'kill-eventstoredb.e2e',
  'soak.e2e',
  'remote-worker.e2e',
  'threads.int',
  'crash.e2e',
  'siege.e2e',
  'schemas.e2e',
  'dialogs.browser',
  'feed-proof.e2e',
  'exit-codes.int',
  'finance.e2e',
  'cache-soak.e2e',
  'user-rights.e2e',
]

/** Vitest's own order knows how long a file took; a fresh checkout does not. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const inOrder = await super.sort(files)
    return inOrder.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return rank === -1 ? LONGEST.length : rank
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // `.ci/run` looks at the files that failed once more: by themselves, and aloud.
    ...(process.env.CI === undefined
      ? {}
      : { reporters: ['default', './tests/support/failed-files-reporter.ts'] }),
    projects: projects.map(({ name, suffix, testTimeout, order, include, exclude = [] }) => ({
      test: {
        name,
        env: {
          // npm says "production" where it leaves out what only developers need.
          NODE_ENV: 'test',
          // The processes that tests start find what Node compiled for the ones before.
          NODE_COMPILE_CACHE: fileURLToPath(new URL('.cache/compiled', import.meta.url)),
        },
        include: include ?? [`**/*.${suffix}.ts`],
        exclude: [
          ...['**/node_modules/**', ...exclude],
          ...(suffix === 'test' ? ['**/*.{int,e2e,browser}.test.ts'] : []),
        ],
        testTimeout,
        hookTimeout: testTimeout,
        expect: { poll: { timeout: POLL_TIMEOUT_MS } },
        fileParallelism: name !== 'e2e-measured',
        // Many files in one process, one after the other: to import everything again for each takes
        // a third of the time. What a test changes for all, it changes back.
        isolate: false,
        maxWorkers: workersOf(name),
        // One kind after the other: what is cheap and tells most comes first. Whole servers and
        // pages go together, so that no core waits for the last of either.
        sequence: { groupOrder: order },
      },
    })),
  },
})
