import { noCrashPoints } from '@svc/contracts/crash-points'
import { ServiceError } from '@svc/contracts/errors'
import type { RunningPage, RunningQuery } from '@svc/projections/views'
import { eventually } from '@svc/testing/eventually'
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
  await eventually(() => expect(ask).toHaveBeenCalled())
  await stop()
  expect(errors).toEqual(told)
})

const GATEWAY = 'gw_dead'
const OPEN_REQUESTS_MAX = 10_000

/** As many requests as an account can have open, of a damaged account; and one of a whole one. */
function runningPage({ after, limit }: RunningQuery): RunningPage {
  const from = after === undefined ? 0 : after.deadline + 1
  const deadlines = Array.from({ length: OPEN_REQUESTS_MAX + 1 }, (_, deadline) => deadline)
  const rows = deadlines.slice(from, from + limit).map((deadline) => ({
    accountId: deadline < OPEN_REQUESTS_MAX ? 'acct_damaged' : 'acct_whole',
    requestId: `req_${deadline}`,
    gatewayId: GATEWAY,
    deadline,
  }))
  return { rows, next: rows.length < limit ? undefined : rows.at(-1) }
}

/** What a server of views answers. */
async function answerOf({ path }: { readonly path: string }) {
  const asked = new URL(path, 'http://views').searchParams
  const [deadline, requestId] = [asked.get('after_deadline'), asked.get('after_request')]
  const after =
    deadline === null ? undefined : { deadline: Number(deadline), requestId: `${requestId}` }
  const { rows, next } = runningPage({ after, limit: Number(asked.get('limit')) })
  return { statusCode: 200, body: { json: async () => ({ rows, next: next ?? null }) } }
}

test.each([
  ['views here', undefined],
  ['views on another server', { ask: answerOf }],
])('by %s, a full damaged account hides no orphan of others', async (_, viewServers) => {
  const abandoned: string[] = []
  const core = {
    viewServers,
    place: { kind: 'sqlite' },
    gatewayId: 'gw_new',
    store: { lastPosition: async () => 0n },
    projections: {
      reached: async () => {},
      views: { runningRequests: runningPage, grants: () => ({ rows: [], next: undefined }) },
    },
    pace: { step: async (work: () => unknown) => work() },
    quarantine: { find: (stream: string) => (stream === 'account-acct_damaged' ? {} : undefined) },
    ledger: {
      isRunning: () => false,
      async abandon(_: string, requestId: string) {
        abandoned.push(requestId)
        return true
      },
    },
  }
  const stop = startSweeping(core as unknown as Core, {
    folder: { readRuns: () => [] } as unknown as DataFolder,
    settings: {} as Settings,
    reach: noCrashPoints,
    logger: { error: (fields: object) => expect(fields).toBe('no error') } as never,
    whose: 'anybody',
  })
  await eventually(() => expect(abandoned).toEqual([`req_${OPEN_REQUESTS_MAX}`]))
  await stop()
})
