/** A month whose figures are not final yet. */
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { expect, test } from 'vitest'

test('a month that is not over says so in every format', async () => {
  const { path } = await folderWithHistory()
  const run = (...args: readonly string[]) => svc(['--data-dir', path, 'month', ...args])
  const remark = ' is not over in UTC: these figures go on changing\n'
  for (const format of ['table', 'csv']) {
    expect((await run('2999-01', '--format', format)).err).toContain(`2999-01${remark}`)
    expect((await run('2026-10', '--format', format)).err).not.toContain(remark)
  }
  const overOf = async (month: string) => JSON.parse((await run(month, '--json')).out).over
  expect([await overOf('2026-10'), await overOf('2999-01')]).toEqual([true, false])
})
