import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** A whole server, without a promise about time: two of these may share a machine. */
const CALM = [
  'tests/{documents,spec,start}/**/*.e2e.test.ts',
  'tests/inference/{fleet,fleet-*,redis-{away,dies},remote-worker}.e2e.test.ts',
]

/** The suffix of a test says its cost: pure, with real files and processes, or a whole server. */
const projects = [
  { name: 'unit', suffix: 'test', testTimeout: 20_000 },
  { name: 'integration', suffix: 'int.test', testTimeout: 60_000 },
  { name: 'e2e-calm', suffix: 'e2e.test', testTimeout: 180_000, include: CALM },
  { name: 'e2e', suffix: 'e2e.test', testTimeout: 180_000, exclude: CALM },
]

/** Many tests wait for a time limit or a process: two at once are done sooner, on two cores too. */
const MAX_WORKERS = Math.max(2, availableParallelism() - 1)

export default defineConfig({
  test: {
    maxWorkers: MAX_WORKERS,
    projects: projects.map(({ name, suffix, testTimeout, include, exclude = [] }, order) => ({
      test: {
        name,
        // npm says "production" where it leaves out what only developers need.
        env: { NODE_ENV: 'test' },
        include: include ?? [`**/*.${suffix}.ts`],
        exclude: [
          ...['**/node_modules/**', ...exclude],
          ...(suffix === 'test' ? ['**/*.{int,e2e}.test.ts'] : []),
        ],
        testTimeout,
        hookTimeout: testTimeout,
        // A server that is measured or broken wants the machine to itself.
        fileParallelism: name !== 'e2e',
        // One project after the other: what is cheap and tells most comes first.
        sequence: { groupOrder: order },
      },
    })),
  },
})
