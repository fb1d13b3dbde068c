/** The way that the page shows out of a forged row behind the true end of the log. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { alterFile } from '@svc/infra/event-store/compliance/alter-file'
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { expect, test } from 'vitest'

const page = new URL('../../../docs/how-to/mend-a-damaged-stream.md', import.meta.url)

test('a row that was deleted is forgotten with the files that the page names', async () => {
  const { path } = await folderWithHistory()
  const verify = async () => (await svc(['--data-dir', path, 'verify'])).code
  expect(await verify()).toBe(0)
  const change = (statement: string) => alterFile(join(path, 'ledger.db'), statement)
  change(`INSERT INTO event SELECT position + 1, stream_id, revision + 1, zeroblob(16), type, data,
    metadata, zeroblob(32) FROM event ORDER BY position DESC LIMIT 1`)
  // Whoever looks is followed by views, which go past the row.
  expect((await svc(['--data-dir', path, 'account', 'list'])).code).toBe(0)
  expect(await verify()).toBe(1)
  change('DELETE FROM event WHERE id = zeroblob(16)')
  expect(await verify()).toBe(1)
  const [, named = ''] = /^rm -rf (.*)$/m.exec(readFileSync(page, 'utf8')) ?? []
  for (const name of named.replaceAll('data/', '').split(' ')) {
    for (const each of name.endsWith('*') ? ['', '-wal', '-shm'] : ['']) {
      rmSync(join(path, `${name.replace('*', '')}${each}`), { recursive: true, force: true })
    }
  }
  expect(await verify()).toBe(0)
})
