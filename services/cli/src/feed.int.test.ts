/** `svc feed`: what the comparison of a topic with the log says, and how it ends. */
import type { FeedCheckResult } from '@svc/contracts/admin/feed'
import { startAdminServer } from '@svc/testing/admin-server'
import { svc } from '@svc/testing/run-svc'
import { expect, onTestFinished, test } from 'vitest'
import { workerServer } from '../testing/worker-server.ts'

const TOKEN = 'token of the operator'
const EXIT_DIFFERENCE = 1

type Finding = FeedCheckResult['findings'][number]

const ada: Finding = {
  key: 'acct_ada',
  events: 5,
  missing: 2,
  first_missing: '17',
  last_hash: 'holds',
  history: 'same',
}

async function svcFeed(findings: readonly Finding[], ...args: readonly string[]) {
  const { operations } = await workerServer()
  const result: FeedCheckResult = {
    type: 'result',
    topic: 'svc.ledger',
    position: '41',
    keys: 3,
    events: 42,
    records: 40,
    doubled: 1,
    late: 0,
    findings: [...findings],
  }
  const server = await startAdminServer({
    operations: {
      ...operations,
      async *checkFeed() {
        yield { type: 'progress', events: 20, records: 0 }
        yield result
      },
      async *resendFeed() {
        yield { type: 'result', topic: 'svc.ledger', events: 2, position: '41' }
      },
    },
    operatorToken: TOKEN,
  })
  onTestFinished(server.close)
  const environment = { SVC_OPERATOR_TOKEN: TOKEN }
  return svc(['--url', server.baseUrl, 'feed', ...args], { environment })
}

test('a whole topic is told with what was compared: accounts and prices are streams', async () => {
  const { code, out } = await svcFeed([], 'check')
  expect(code).toBe(0)
  expect(out).toBe(
    'topic svc.ledger: 40 records of 42 events up to position 41, 3 streams; 1 doubled, 0 late\n' +
      'every event is there\n',
  )
})

test('what is missing is told by stream, and how it is sent again', async () => {
  const prices: Finding = { ...ada, key: 'pricing', missing: 1, first_missing: '3' }
  const { code, out, err } = await svcFeed([ada, prices], 'check')
  expect(code).toBe(EXIT_DIFFERENCE)
  expect(out).toMatch(/^acct_ada +5 +2 +17 +holds +same$/m)
  expect(out).toMatch(/^pricing +5 +1 +3 +holds +same$/m)
  expect(err).toContain('the topic is not whole for 2 streams: svc feed resend --from POSITION')
})

test('another history is not mended by sending again: it needs a new topic', async () => {
  const other: Finding = { ...ada, last_hash: 'differs', history: 'other' }
  const { code, err } = await svcFeed([ada, other], 'check')
  expect(code).toBe(EXIT_DIFFERENCE)
  expect(err).toContain('another history of 1 stream: name a new one in SVC_KAFKA_TOPIC')
})

test('what was sent again is counted', async () => {
  const { code, out } = await svcFeed([], 'resend', '--from', '17', '--account', 'acct_ada')
  expect({ code, out }).toEqual({ code: 0, out: 'topic svc.ledger: 2 events sent again\n' })
})
