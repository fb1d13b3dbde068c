/** A folder whose ledger file is gone or empty, while its notes tell of a ledger. */
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { bareEnvironment } from '@svc/testing/bare-environment'
import { runToEnd } from '@svc/testing/bounded-run'
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { expect, test } from 'vitest'

const bin = fileURLToPath(new URL('../bin/svc.js', import.meta.url))

async function folderWithout(take: (ledgerFile: string) => void) {
  const { path, account } = await folderWithHistory()
  const file = join(path, 'ledger.db')
  new DataFolder(path).writeFirstRun({
    accountId: account.accountId,
    keyId: `key_${'0'.repeat(26)}`,
  })
  rmSync(`${file}-wal`, { force: true })
  take(file)
  return { path, file }
}

test.each([
  ['gone', (file: string) => rmSync(file)],
  ['empty', (file: string) => writeFileSync(file, '')],
])('a ledger that is %s is not begun anew, and is told of', async (_how, take) => {
  const { path, file } = await folderWithout(take)
  const start = ['start', '--data-dir', path, '--port', '0', '--json']
  const started = runToEnd(process.execPath, [bin, ...start], { env: bareEnvironment() })
  expect(started.stderr).toMatch(/ledger\.db is gone or empty, .* restore it from a backup/)
  expect([started.status, started.stdout]).toEqual([6, ''])
  expect(existsSync(file) ? statSync(file).size : 0).toBe(0)
  const verified = await svc(['--data-dir', path, 'verify'])
  expect([verified.code, verified.out]).toEqual([3, ''])
  expect(verified.err).toContain('restore it from a backup')
  const examined = await svc(['--data-dir', path, 'doctor'])
  expect(examined.out).toContain('PROBLEM  ledger: ')
})
