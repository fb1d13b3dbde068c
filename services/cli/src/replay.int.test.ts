/** `svc replay` and `svc account show --as-of` on a folder whose history is always the same. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { finishedRequest, folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { describe, expect, test } from 'vitest'
import { alterSettled } from '../testing/altered-views.ts'

async function place() {
  const { path, account } = await folderWithHistory()
  const run = (...args: string[]) => svc(['--data-dir', path, '--quiet', ...args])
  return { path, run, accountId: account.accountId }
}

test('balances as they were at a time, and at the position that it names', async () => {
  const { run, accountId, path } = await place()
  const byTime = await run('replay', '--to', '2026-11-01T00:02:00Z')
  expect([byTime.code, byTime.err]).toEqual([0, ''])
  expect(byTime.out).toMatch(new RegExp(`^${accountId}  Ada .* 4.9999703 `, 'm'))
  expect(byTime.out).toContain('1 account: settled 4.9999703 USD, held 0.00 USD\n')
  const position = /as of position (\d+), replayed from/.exec(byTime.out)?.[1] ?? ''
  expect((await run('replay', '--to', position)).out).toBe(byTime.out)
  const json = JSON.parse((await run('--json', 'replay', '--to', position)).out)
  expect(json).toMatchObject({ schema: 'svc.replay/1', position, account: null })
  expect(json.accounts).toMatchObject([{ account_id: accountId, settled: '4.9999703' }])
  expect(readdirSync(join(path, 'views')).filter((name) => name.includes('replay'))).toEqual([])
})

test('nothing had happened before the first event', async () => {
  const { run } = await place()
  const { code, out } = await run('--json', 'replay', '--to', '2026-10-01')
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ accounts: [], position: '-1', events: 0 })
})

test('a statement as it was, which adds up', async () => {
  const { run, accountId } = await place()
  const asked = ['replay', accountId, '--to', '2026-11-01T00:02:00Z', '--statement']
  const { code, out } = await run(...asked)
  expect(code).toBe(0)
  expect(out).toContain(finishedRequest)
  expect(out).toContain('2 entries: settled 4.9999703 USD')
  const { entries } = JSON.parse((await run('--json', ...asked)).out)
  expect(entries.map(({ balance }: { balance: string }) => balance)).toEqual(['5.00', '4.9999703'])
})

test('account show --as-of shows what account show showed then', async () => {
  const { run, accountId } = await place()
  const now = await run('account', 'show', accountId)
  expect((await run('account', 'show', accountId, '--as-of', '2030-01-01')).out).toBe(now.out)
  const then = await run('account', 'show', accountId, '--as-of', '2026-11-01T00:01:00.500Z')
  expect(then.out).toMatch(/^held +0.001 USD by 1 running$/m)
  const early = await run('account', 'show', accountId, '--as-of', '2026-10-01')
  expect([early.code, early.out]).toEqual([3, ''])
  expect(early.err).toMatch(/^svc: There was no account acct_\w+ before the first event\.\n$/)
})

describe('--diff live', () => {
  test('ends with 0 when every row is what the log says', async () => {
    const { run } = await place()
    const { code, out } = await run('replay', '--diff', 'live')
    expect(code).toBe(0)
    expect(out).toMatch(/^VIEW +EVENTS +ROWS THAT DIFFER\n(\w+ +\d+ +0\n){5,}$/)
  })

  test('names the row that was altered, and ends with 1', async () => {
    const { run, path, accountId } = await place()
    expect((await run('status')).code).toBe(0)
    alterSettled(join(path, 'views'), 9_000_000_000_000n)
    const { code, out, err } = await run('replay', '--diff', 'live')
    expect(code).toBe(1)
    expect(out).toContain(
      `accounts accounts account_id=${accountId}: live settled=9000000000000, log settled=4999940600000\n`,
    )
    expect(err).toMatch(/^svc: the live views are not what the log says: accounts; /)
    const json = JSON.parse((await run('--json', 'replay', '--diff', 'live')).out)
    expect(json).toMatchObject({ schema: 'svc.views-compared/1', same: false })
    expect(json.first).toEqual([
      {
        view: 'accounts',
        table: 'accounts',
        key: { account_id: accountId },
        live: { settled: '9000000000000' },
        replayed: { settled: '4999940600000' },
      },
    ])
  })
})

test.each([
  [['replay'], 2, /say --to/],
  [['replay', '--to', 'yesterday'], 2, /is no time/],
  [['replay', '--to', '1000'], 2, /the log ends at position/],
  [['replay', '--to', '3', '--statement'], 2, /name the account/],
  [['replay', '--to', '3', '--diff', 'live'], 2, /cannot be used with/],
  [['replay', 'acct_1', '--diff', 'live'], 2, /name none/],
])('%j is refused', async (args, expected, words) => {
  const { run } = await place()
  const { code, out, err } = await run(...args)
  expect([code, out]).toEqual([expected, ''])
  expect(err).toMatch(words)
})
