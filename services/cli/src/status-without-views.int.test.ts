/** `svc status` of a gateway that asks other servers for views, on which an operator relies too. */
import type { Operations } from '@svc/contracts/admin/operations'
import { startAdminServer } from '@svc/testing/admin-server'
import { svc } from '@svc/testing/run-svc'
import { expect, onTestFinished, test } from 'vitest'
import { workerServer } from '../testing/worker-server.ts'

const TOKEN = 'token of the operator'
const notCounted = { projections: [], accounts: null, open_requests: null, overdue_holds: null }
const STORE_TROUBLE = 'The event store refuses the user.'

const FEED = { topic: 'svc.ledger', position: '3', lag: '9', waiting_seconds: 2, problems: [] }

async function svcStatus(...args: readonly string[]) {
  const { operations } = await workerServer()
  const status: Operations['status'] = async () => {
    const answer = await operations.status()
    const store = { ...answer.store, kind: 'eventstoredb', problems: [STORE_TROUBLE] }
    return { ...answer, ...notCounted, store, feed: FEED }
  }
  const server = await startAdminServer({
    operations: { ...operations, status },
    operatorToken: TOKEN,
  })
  onTestFinished(server.close)
  const environment = { SVC_OPERATOR_TOKEN: TOKEN }
  return svc(['--url', server.baseUrl, ...args, 'status'], { environment })
}

test('what is wrong is told, and who counts the accounts', async () => {
  const { code, out } = await svcStatus()
  expect(code).toBe(0)
  expect(out).toContain(STORE_TROUBLE)
  expect(out).toMatch(/^feed +topic svc\.ledger, 9 bytes behind the log, waiting for 2 s$/m)
  expect(out).toMatch(/^accounts +not counted by a gateway without views: ask a projector$/m)
  expect(out).toMatch(/^worker-1 +ready/m)
  expect(out).not.toContain('PROJECTION')
})

test('JSON has null for what is not counted', async () => {
  const { code, out } = await svcStatus('--json')
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ schema: 'svc.status/4', ...notCounted })
})
