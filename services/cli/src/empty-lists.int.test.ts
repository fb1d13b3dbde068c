/** A list without rows says so in words: a bare heading looks like an answer that was cut off. */
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { svc } from '@svc/testing/run-svc'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, test } from 'vitest'

test.each([
  ['account list', 'there are no such accounts'],
  ['admin-token list', 'there are no admin tokens'],
  ['events list', 'there are no such events'],
  ['grant list', 'there are no grants'],
  ['hold list', 'there are no holds'],
  ['key list ACCOUNT', 'there are no keys'],
  ['price list', 'there are no prices'],
  ['requests ACCOUNT', 'there are no such requests'],
  ['user list', 'there are no users'],
])('svc %s: %s', async (words, remark) => {
  const folder = new DataFolder(temporaryFolder())
  folder.make()
  folder.secrets()
  await openSqliteEventStore(folder.ledgerFile, { onFatal: () => {} }).close()
  const at = ['--data-dir', folder.path]
  const account = words.endsWith('ACCOUNT')
    ? (await svc([...at, 'account', 'open', '--name', 'Ada'])).out.trim()
    : ''
  const { code, err } = await svc([...at, ...words.replace('ACCOUNT', account).split(' ')])
  expect(code, err).toBe(0)
  expect(err).toContain(`${remark}\n`)
})
