/** Text that people wrote computes nothing in the spreadsheets of others. */
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { expect, test } from 'vitest'

const FORMULA = '=HYPERLINK("http://x",1)'
/** A cell that begins with one of these and is no amount. */
const COMPUTED = /^[=+@]|^-(?!\d+(\.\d+)?$)/

/** Cells of CSV without line breaks in them. */
function cellsOf(csv: string): readonly string[] {
  const cells = csv.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,\r\n]*))/gm)
  return [...cells].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '')
}

test('in the columns of a statement and of a month, whoever wrote it', async () => {
  const { path, account } = await folderWithHistory()
  const run = async (...args: string[]) => {
    const { code, out, err } = await svc(['--data-dir', path, ...args])
    expect([code, err.includes('error')]).toEqual([0, false])
    return out
  }
  const { accountId, keyId } = account
  await run('key', 'rename', accountId, keyId, FORMULA, '--reason', '@reason')
  await run('adjust', accountId, '1', '--reason', '+reason', '--ref', FORMULA)
  await run('account', 'grant', accountId, '1', '--reason', '-reason', '--ref', '-ref')
  await run('account', 'open', '--name', FORMULA, '--external-id', '+external')
  const statement = cellsOf(await run('statement', accountId, '--format', 'csv'))
  const month = cellsOf(await run('month', '2026-11', '--format', 'csv'))
  for (const text of [`'${FORMULA}`, "'+reason", "'-reason", "'-ref"]) {
    expect(statement).toContain(text)
  }
  for (const cells of [statement, month]) {
    expect(cells.length).toBeGreaterThan(20)
    expect(cells.filter((cell) => COMPUTED.test(cell))).toEqual([])
  }
  // An account that was opened in a later month has no row in this one.
  const now = new Date().toISOString().slice(0, 7)
  const thisMonth = cellsOf(await run('month', now, '--format', 'csv'))
  expect(thisMonth).toContain(`'${FORMULA}`)
  expect(thisMonth).toContain("'+external")
})
