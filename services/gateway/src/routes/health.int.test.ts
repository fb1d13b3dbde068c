/** What supervisors and load balancers are told. */
import { systemClock } from '@svc/infra/system/system-clock'
import type { ProjectionStatus } from '@svc/projections/projection-status'
import { startGateway } from '@svc/testing/gateway/gateway-fixture'
import { expect, test } from 'vitest'
import { LedgerHealth } from './ledger-health.ts'

const broken: ProjectionStatus = {
  name: 'statement',
  version: 1,
  position: 3n,
  head: 10n,
  state: 'failed',
  error: 'event CreditDebited at position 4 (account-acct_x, revision 2): SQLITE_CONSTRAINT',
}

function healthOf(status: () => Promise<readonly ProjectionStatus[]>): LedgerHealth {
  const bounds = { storeAnswerMs: 20, viewLagMs: 1_000 }
  return new LedgerHealth({ status, bounds, clock: systemClock, onChange: () => {} })
}

test.each<readonly [string, () => Promise<readonly ProjectionStatus[]>, string]>([
  ['broken views', async () => [broken], 'Not ready: a view of the ledger is broken.'],
  ['a silent log', () => new Promise(() => {}), 'Not ready: the event log does not answer.'],
  [
    'a log that is away',
    () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:2113')),
    'Not ready: the event log does not answer.',
  ],
])('with %s a server is alive and not ready, and says no more than that', async (...row) => {
  const [, status, problem] = row
  await using fixture = await startGateway({ ledgerHealth: healthOf(status) })
  const ready = await fixture.get('/readyz')
  expect(ready.status).toBe(503)
  expect(await fixture.gateway.isReady()).toBe(false)
  const text = await ready.text()
  expect(JSON.parse(text).error.message).toContain(problem)
  expect(text).not.toMatch(/statement|CreditDebited|acct_|ECONN|10\.0\.0/)
  expect((await fixture.get('/livez')).status).toBe(200)
})

test('a server that is well is ready', async () => {
  const well = { ...broken, state: 'live', error: null, position: 10n } as const
  await using fixture = await startGateway({ ledgerHealth: healthOf(async () => [well]) })
  const ready = await fixture.get('/readyz')
  expect(await ready.json()).toEqual({ status: 'ready' })
  expect(await fixture.gateway.isReady()).toBe(true)
})

test('a server that leaves is not ready, while it serves on: what counts for its metric, too', async () => {
  const well = { ...broken, state: 'live', error: null, position: 10n } as const
  await using fixture = await startGateway({ ledgerHealth: healthOf(async () => [well]) })
  const closing = fixture.gateway.close({ graceMs: 0, noticeMs: 200 })
  expect((await fixture.get('/readyz')).status).toBe(503)
  expect(await fixture.gateway.isReady()).toBe(false)
  await closing
})
