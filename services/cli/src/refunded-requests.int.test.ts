/** What the operator sees of refunds among the requests of an account. */
import { finishedRequest, folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { expect, test } from 'vitest'

test('svc requests tells what was refunded, and leaves it blank at all others', async () => {
  const { path } = await folderWithHistory()
  const run = (...args: string[]) => svc(['--data-dir', path, ...args])
  expect((await run('refund', finishedRequest, '0.00001', '--reason', 'late')).code).toBe(0)
  const { out } = await run('requests', '--from', '2026-11-01', '--to', '2026-11-08')
  const [heading = '', ...rows] = out.trimEnd().split('\n')
  expect(heading).toMatch(/COST +REFUNDED$/)
  const refunded = rows.filter((row) => row.endsWith(' 0.00001'))
  expect(refunded).toEqual([expect.stringContaining(finishedRequest)])
})
