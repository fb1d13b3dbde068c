/** Product code takes the time from its ports, and where it does not, is listed. */
import { describe, expect, test } from 'vitest'
import { bareTimes } from './rules/bare-time.ts'
import { isCode, textFilesOfWorkspace } from './rules/workspace.ts'

const code = textFilesOfWorkspace().filter(isCode)

/**
 * Files that read the clock or set timers all the same, each with its reason. The list may only
 * shrink.
 */
const bareTimeFiles: Readonly<Record<string, string>> = {
  'services/cli/src/process/stop-requests.ts':
    'looks for the end of npm in a process whose end it must not delay: no port takes unref',
  'services/worker/src/process/watchdog-thread.ts':
    'looks from a thread of its own, which can be handed no port, whether the main one still runs',
  'services/worker/src/process/watchdog.ts':
    'its beat shows that the timers of Node.js run, and must not delay the end of the process',
}

describe('time comes through the ports', () => {
  test('in all product code but for known files', () => {
    const found = bareTimes(code).map((breach) => breach.replace(/:.*/, ''))
    expect([...new Set(found)].sort()).toEqual(Object.keys(bareTimeFiles))
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
