import { folderWithHistory } from '@svc/testing/data-folders'
import { expect, test } from 'vitest'
import { DataFolder } from '../data-folder/data-folder.ts'
import { openAnswersFile, openResponsesFile } from '../data-folder/kept-answers-files.ts'
import { openDataFolder } from '../open-data-folder.ts'

const LATER = Date.now() + 3_600_000

test('answers that a process left when it died in an erasure are removed by the next', async () => {
  const { path, account } = await folderWithHistory()
  const { accountId } = account
  const folder = new DataFolder(path)
  const first = await openDataFolder(path)
  const asked = { account_id: accountId, reason: 'asked', dry_run: false }
  await first.operations.eraseTexts(asked)
  await first.close()
  // As it was before the answers had gone.
  folder.erasures.add({ accountId, changeId: 'change_1' })
  const files = () => {
    const key = Buffer.from(folder.secrets().answerKey, 'hex')
    return [openAnswersFile(folder, key), openResponsesFile(folder, key)]
  }
  for (const file of files()) {
    await file.save(accountId, 'one', 'an answer', LATER)
    await file.save('acct_other', 'one', 'an answer', LATER)
    await file.close()
  }
  await (await openDataFolder(path)).close()
  for (const file of files()) {
    expect(await file.load(accountId, 'one', Date.now())).toBeUndefined()
    expect(await file.load('acct_other', 'one', Date.now())).toBe('an answer')
    await file.close()
  }
  expect(folder.erasures.list()).toEqual([])
})
