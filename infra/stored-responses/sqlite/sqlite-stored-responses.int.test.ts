import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeTemporaryFolder, type TemporaryFolder } from '../../testing/temporary-folder.ts'
import { body, describeStoredResponses, noon } from '../stored-responses.suite.ts'
import { openSqliteStoredResponses } from './sqlite-stored-responses.ts'

const key = randomBytes(32)
let folder: TemporaryFolder
let path: string
beforeEach(() => {
  folder = makeTemporaryFolder()
  path = join(folder.path, 'responses.db')
})
afterEach(() => folder.remove())

describeStoredResponses('SQLite', (bounds) => openSqliteStoredResponses(path, { key, bounds }))

async function save(text: string, ...responseIds: string[]): Promise<void> {
  const responses = openSqliteStoredResponses(path, { key })
  for (const id of responseIds) await responses.save('acct_1', id, text, noon + 1)
  await responses.close()
}

async function load(responseId: string, otherKey = key, accountId = 'acct_1') {
  const responses = openSqliteStoredResponses(path, { key: otherKey })
  const found = await responses.load(accountId, responseId, noon)
  await responses.close()
  return found
}

function edit(statement: string): void {
  const database = new DatabaseSync(path)
  database.exec(statement)
  database.close()
}

describe('a file of stored responses', () => {
  test('holds them for the next process, which knows how much there is', async () => {
    await save('x'.repeat(1_000), 'resp_1', 'resp_2')
    expect(await load('resp_2')).toHaveLength(1_000)
    const bounds = { maxAccountBytes: 8_500, maxTotalBytes: 10_000 }
    const responses = openSqliteStoredResponses(path, { key, bounds })
    for (let at = 3; at < 10; at += 1) {
      await responses.save('acct_1', `resp_${at}`, 'x'.repeat(1_000), noon + 1)
    }
    expect(await responses.load('acct_1', 'resp_1', noon)).toBeUndefined()
    expect(await responses.load('acct_1', 'resp_9', noon)).toHaveLength(1_000)
    await responses.close()
  })

  test('shows nothing of a response to one who has not the key', async () => {
    const responses = openSqliteStoredResponses(path, { key })
    await responses.save('acct_1', 'resp_1', 'the-canary-in-the-response', noon + 1)
    for (const name of readdirSync(folder.path)) {
      if (name === 'responses.db') continue
      expect(readFileSync(join(folder.path, name)).includes('canary')).toBe(false)
    }
    await responses.close()
    expect(readFileSync(path).includes('canary')).toBe(false)
    expect(await load('resp_1')).toBe('the-canary-in-the-response')
    expect(await load('resp_1', randomBytes(32))).toBeUndefined()
  })

  test('is not opened with a key of another length', () => {
    expect(() => openSqliteStoredResponses(path, { key: randomBytes(16) })).toThrow(RangeError)
  })

  test('that is damaged is made anew', async () => {
    await save(body, 'resp_1')
    writeFileSync(path, 'nonsense '.repeat(1_000))
    expect(await load('resp_1')).toBeUndefined()
    await save(body, 'resp_1')
    expect(await load('resp_1')).toBe(body)
  })

  const alterations = {
    'moved to another id': "UPDATE response SET response_id = 'resp_2'",
    'cut short': 'UPDATE response SET sealed = substr(sealed, 1, 20)',
    emptied: "UPDATE response SET sealed = x''",
    overwritten: 'UPDATE response SET sealed = zeroblob(length(sealed))',
  }
  test.each(Object.entries(alterations))('gives back none that was %s', async (_name, sql) => {
    await save(body, 'resp_1')
    edit(sql)
    expect(await load('resp_1')).toBeUndefined()
    expect(await load('resp_2')).toBeUndefined()
  })

  test('gives back none that was moved to another account', async () => {
    await save(body, 'resp_1')
    edit("UPDATE response SET account_id = 'acct_2'")
    expect(await load('resp_1', key, 'acct_2')).toBeUndefined()
  })
})
