import { noCrashPoints } from '@svc/contracts/crash-points'
import { ServiceError } from '@svc/contracts/errors'
import { expect, test, vi } from 'vitest'
import type { DataFolder } from '../data-folder/data-folder.ts'
import type { Settings } from '../settings/settings.ts'
import type { Core } from './core.ts'
import { startSweeping } from './sweeping.ts'

const away = new ServiceError('view_behind', 'Nobody answers.')
const failed = 'failed to end orphaned requests, retrying'

test.each([
  ['no server of views answers, which is told already', away, []],
  ['something else is wrong', new Error('a defect'), [failed]],
])('a sweep of a gateway without views for which %s', async (_, failure, told) => {
  const errors: string[] = []
  const ask = vi.fn(() => Promise.reject(failure))
  const core = {
    viewServers: { ask },
    place: { kind: 'eventstoredb' },
    store: { lastPosition: async () => 0n },
    projections: { reached: async () => {} },
  }
  const stop = startSweeping(core as unknown as Core, {
    folder: { readRuns: () => [] } as unknown as DataFolder,
    settings: {} as Settings,
    reach: noCrashPoints,
    logger: { error: (_fields: object, message: string) => void errors.push(message) } as never,
    whose: 'own',
  })
  await vi.waitFor(() => expect(ask).toHaveBeenCalled())
  await stop()
  expect(errors).toEqual(told)
})
