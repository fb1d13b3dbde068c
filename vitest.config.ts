import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** The suffix of a test says its cost: pure, with real files and processes, or a whole server. */
const projects = [
  { name: 'unit', suffix: 'test', testTimeout: 20_000 },
  { name: 'integration', suffix: 'int.test', testTimeout: 60_000 },
  { name: 'e2e', suffix: 'e2e.test', testTimeout: 180_000 },
]

/** Many tests wait for a time limit or a process: two at once are done sooner, on two cores too. */
const MAX_WORKERS = Math.max(2, availableParallelism() - 1)

export default defineConfig({
  test: {
    maxWorkers: MAX_WORKERS,
    projects: projects.map(({ name, suffix, testTimeout }, groupOrder) => ({
      test: {
        name,
        include: [`**/*.${suffix}.ts`],
        exclude: ['**/node_modules/**', ...(suffix === 'test' ? ['**/*.{int,e2e}.test.ts'] : [])],
        testTimeout,
        hookTimeout: testTimeout,
        // A whole server with its clients wants the machine to itself.
        fileParallelism: name !== 'e2e',
        // One project after the other: what is cheap and tells most comes first.
        sequence: { groupOrder },
      },
    })),
  },
})
