import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readKeptText } from '@svc/contracts/kept-text'
import type { TextStore } from '@svc/contracts/ports/text-store'
import { makeTemporaryFolder, temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, test } from 'vitest'
import { describeTextStore } from '../text-store.suite.ts'
import { openSqliteTextStore } from './sqlite-text-store.ts'

function openStore(path: string): TextStore {
  return openSqliteTextStore(path, {
    onFatal: (error) => {
      throw error
    },
  })
}

describeTextStore('SQLite', async () => {
  const folder = makeTemporaryFolder()
  const path = join(folder.path, 'texts.db')
  return {
    remove: async () => folder.remove(),
    open: async () => openStore(path),
    async alter(word, text) {
      const database = new DatabaseSync(path)
      const { owner = '', id = '' } = readKeptText(word) ?? {}
      database.prepare('UPDATE text SET text = ? WHERE owner = ? AND id = ?').run(text, owner, id)
      database.close()
    },
  }
})

test('what was erased has left every file, while the store is open and afterwards', async () => {
  const folder = temporaryFolder()
  const store = openStore(join(folder, 'texts.db'))
  const found = (marker: string) =>
    readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(marker))
  // There are enough texts, in such an order, that SQLite splits and joins pages.
  for (let text = 0; text < 30; text += 1) {
    for (let owner = 0; owner < 40; owner += 1) {
      await store.keep(`acct_${owner}`, `marker-of-${owner}-${'x'.repeat((text * 97) % 700)}-end`)
    }
  }
  for (let owner = 0; owner < 40; owner += 3) await store.erase(`acct_${owner}`)
  expect(found('marker-of-1-')).not.toEqual([])
  for (let owner = 0; owner < 40; owner += 3) expect(found(`marker-of-${owner}-`)).toEqual([])
  await store.close()
  for (let owner = 0; owner < 40; owner += 3) expect(found(`marker-of-${owner}-`)).toEqual([])
  expect(found('marker-of-1-')).toEqual(['texts.db'])
})
