/**
 * `svc month` against a calculation of its own, over a real server and its APIs. Larger by
 * SVC_TEST_MONTH=CUSTOMERSxREQUESTS, such as 200x300000 (`npm run test:month`).
 */
import { join } from 'node:path'
import { svc } from '@svc/testing/run-svc'
import { startRunningServer } from '@svc/testing/running-server'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { withoutModel } from '@svc/testing/without-model'
import { expect, test } from 'vitest'
import { type Expected, liveThroughAMonth, picoOf } from './business.ts'

const [customers = 4, requests = 60] = (process.env.SVC_TEST_MONTH ?? '4x60').split('x').map(Number)
const TEST_MS_MAX = 60_000 + 20 * requests

test(`a month of ${customers} customers and ${requests} requests adds up to the pico-dollar`, {
  timeout: TEST_MS_MAX,
}, async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const environment = await withoutModel()
  const { operations, ready } = await startRunningServer(environment, dataDir)
  const month = new Date().toISOString().slice(0, 'YYYY-MM'.length)
  const startedAt = performance.now()
  const expected = await liveThroughAMonth({
    operations,
    customers,
    requests,
    baseUrl: ready.baseUrl,
  })
  const servedMs = performance.now() - startedAt
  const { code, out } = await svc(['--data-dir', dataDir, 'month', month, '--json'])
  expect(code).toBe(0)
  const report = JSON.parse(out) as {
    customers: ({ account_id: string } & Record<keyof Expected | 'opening' | 'closing', string>)[]
  }
  const rows = new Map(report.customers.map((row) => [row.account_id, row]))
  for (const [accountId, sums] of expected) {
    const row = rows.get(accountId)
    if (row === undefined) throw new Error(`the month has no ${accountId}`)
    const { payments, promotional, used, refunded, corrected } = row
    const shown = { payments, promotional, used, refunded, corrected }
    expect(Object.entries(shown).map(([name, text]) => [name, picoOf(text)])).toEqual(
      Object.entries(sums),
    )
    const { payments: paid, promotional: given, used: spent, refunded: back } = sums
    expect(picoOf(row.closing)).toBe(paid + given - spent - back + sums.corrected)
  }
  expect(expected.size).toBe(customers)
  process.stderr.write(`${requests} requests in ${Math.round(servedMs)} ms\n`)
})
