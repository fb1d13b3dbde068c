/** What a customer is told of a file and of a checkpoint from elsewhere. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, test } from 'vitest'
import { EXIT_DIFFERENCE } from '../../context/exit-codes.ts'

test('a checkpoint that a newer key signed is not called a fault of the file', async () => {
  const { path, account } = await folderWithHistory()
  const run = async (...args: string[]) => {
    const { code, out, err } = await svc(['--data-dir', path, ...args])
    expect(code, err).toBe(0)
    return out.trim()
  }
  const [before, after, note] = ['before', 'after', 'note'].map((name) =>
    join(temporaryFolder(), name),
  ) as [string, string, string]
  const key = await run('evidence', 'public-key')
  await run('evidence', 'export', account.accountId, '-o', before)
  await run('evidence', 'rotate-key')
  await run('evidence', 'export', account.accountId, '-o', after)
  writeFileSync(note, JSON.parse(readFileSync(after, 'utf8').split('\n')[0] ?? '').checkpoint)

  const verify = (file: string) => ['verify-evidence', file, '--key', key, '--checkpoint', note]
  expect(await run(...verify(after))).toMatch(/^ok: /)
  const { code, out, err } = await svc(verify(before))
  expect(code).toBe(EXIT_DIFFERENCE)
  expect(out).toContain('no key of this file signed it')
  expect(err).toContain(`${before} does not fit the given checkpoint`)
})
