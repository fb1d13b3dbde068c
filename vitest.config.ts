import { defineConfig } from 'vitest/config'

/**
 * The suffix of a test says what it costs: pure, with real files and processes, or a whole server.
 */
const project = (name: string, suffix: string, testTimeout: number) => ({
  test: {
    name,
    include: [`**/*.${suffix}.ts`],
    exclude: ['**/node_modules/**', ...(suffix === 'test' ? ['**/*.{int,e2e}.test.ts'] : [])],
    testTimeout,
    hookTimeout: testTimeout,
  },
})

export default defineConfig({
  test: {
    projects: [
      project('unit', 'test', 20_000),
      project('integration', 'int.test', 60_000),
      project('e2e', 'e2e.test', 180_000),
    ],
  },
})
