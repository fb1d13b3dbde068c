/** Product code takes the time from its ports, and where it does not, is listed. */
import { describe, expect, test } from 'vitest'
import { bareTimes } from './rules/bare-time.ts'
import { isCode, textFilesOfWorkspace } from './rules/workspace.ts'

const code = textFilesOfWorkspace().filter(isCode)

/** Files that read the clock or set timers all the same. The list may only shrink. */
const bareTimeFiles = [
  'services/cli/src/commands/start.ts',
  'services/cli/src/process/stop-requests.ts',
  'services/gateway/src/http/client-family.ts',
  'services/worker/src/plans/compile-threads.ts',
  'services/worker/src/prefix-cache/open-prefix-cache.ts',
  'services/worker/src/process/watchdog-thread.ts',
  'services/worker/src/process/watchdog.ts',
  'services/worker/src/prompt/model-family.ts',
  'services/worker/src/scheduling/turns.ts',
]

describe('time comes through the ports', () => {
  test('in all product code but for known files', () => {
    const found = bareTimes(code).map((breach) => breach.replace(/:.*/, ''))
    expect([...new Set(found)].sort()).toEqual(bareTimeFiles)
  })

  test.each([
    ['services/gateway/src/x.ts', 'const cut = setTimeout(() => {}, 1)', 'uses setTimeout'],
    ['services/operator/src/x.ts', 'const nowMs = Date.now()', 'uses Date.now'],
    ['projections/src/x.ts', 'const nowMs = () => new Date()', 'uses new Date()'],
    [
      'infra/x.ts',
      "import { setTimeout as delay } from 'node:timers/promises'",
      'imports setTimeout',
    ],
    ['infra/x.ts', "import * as timers from 'node:timers'", 'imports *'],
  ])('a breach is found: %s with %s', (path, text, problem) => {
    expect(bareTimes([{ path, text }]).join()).toContain(problem)
  })

  test.each([
    ['infra/system/x.ts', 'setTimeout(() => {}, 1)'],
    ['services/server/src/x.ts', 'setTimeout(() => {}, 1)'],
    ['services/gateway/src/x.test.ts', 'const nowMs = Date.now()'],
    ['services/gateway/src/x.ts', 'const when = new Date(nowMs)'],
    [
      'services/gateway/src/x.ts',
      "import { setImmediate as nextTurn } from 'node:timers/promises'",
    ],
  ])('what is allowed is let through: %s with %s', (path, text) => {
    expect(bareTimes([{ path, text }])).toEqual([])
  })
})
