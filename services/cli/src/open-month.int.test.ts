/** Months and other periods whose figures are not final yet. */
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { expect, test } from 'vitest'

test('a month that is not over, or has not begun, says so in every format', async () => {
  const { path } = await folderWithHistory()
  const run = (...args: readonly string[]) => svc(['--data-dir', path, 'month', ...args])
  const remark = 'in UTC: these figures go on changing\n'
  const running = new Date().toISOString().slice(0, '2026-11'.length)
  for (const format of ['table', 'csv']) {
    expect((await run('2999-01', '--format', format)).err).toContain(
      `2999-01 has not begun ${remark}`,
    )
    expect((await run(running, '--format', format)).err).toContain(`is not over ${remark}`)
    expect((await run('2026-10', '--format', format)).err).not.toContain(remark)
  }
  const overOf = async (month: string) => JSON.parse((await run(month, '--json')).out).over
  expect([await overOf('2026-10'), await overOf('2999-01')]).toEqual([true, false])
})

test.each([
  { command: 'statement', formats: ['table', 'csv'].map((name) => ['--format', name]) },
  { command: 'usage', formats: [[], ['--by', 'hour']] },
])('a $command up to a time to come says that it is not over', async ({ command, formats }) => {
  const { path, account } = await folderWithHistory()
  const run = (...args: readonly string[]) =>
    svc(['--data-dir', path, command, account.accountId, ...args])
  const remark = ' is not over: these figures go on changing\n'
  for (const format of formats) {
    const day = (to: string) => [
      '--from',
      '2998-06-01',
      '--to',
      to,
      '--tz',
      'Asia/Tokyo',
      ...format,
    ]
    const open = await run(...day('2999-01-01'))
    expect(open.err).toMatch(/^the period before (2998-12-31T15|2999-01-01T00):00:00/m)
    expect(open.err).toContain(remark)
    expect((await run(...day('2026-02-01'))).err).not.toContain(remark)
    expect((await run(...format)).err).not.toContain(remark)
  }
  const { code, err } = await run('--from', '2026-01-01', '--to', '2999-01-01', '--json')
  expect([code, err.includes(remark)]).toEqual([0, false])
})
