/**
 * Some thousand requests, a part of them left by their clients, leave no socket and no file open.
 * Memory needs more requests than a test has time for: `npm run bench:soak`.
 */
import { expect, test } from 'vitest'
import { soak } from './soak.ts'

const WARM_UP = 500
const REQUESTS = 2_000

test.skipIf(process.platform !== 'linux')(
  `a server has no more open after ${REQUESTS} requests than before`,
  async () => {
    const summary = await soak(WARM_UP, REQUESTS)
    expect(summary.wrong_answers).toEqual([])
    expect(summary.warm_sockets).toBeGreaterThan(0)
    expect(summary.grown).not.toContain('sockets')
    expect(summary.grown).not.toContain('files')
  },
)
