import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { CrashPoint } from '@svc/contracts/crash-points'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeTemporaryFolder, type TemporaryFolder } from '../../testing/temporary-folder.ts'
import { answer, describeRecordedAnswers, noon } from '../recorded-answers.suite.ts'
import { openSqliteRecordedAnswers } from './sqlite-recorded-answers.ts'

const key = randomBytes(32)
let folder: TemporaryFolder
let path: string
beforeEach(() => {
  folder = makeTemporaryFolder()
  path = join(folder.path, 'answers.db')
})
afterEach(() => folder.remove())

describeRecordedAnswers('SQLite', (maxTotalBytes) =>
  openSqliteRecordedAnswers(path, { key, maxTotalBytes }),
)

async function save(...requestIds: string[]): Promise<void> {
  const answers = openSqliteRecordedAnswers(path, { key })
  for (const id of requestIds) await answers.save('acct_1', id, answer, noon + 1)
  await answers.close()
}

async function load(requestId: string, otherKey = key) {
  const answers = openSqliteRecordedAnswers(path, { key: otherKey })
  const found = await answers.load('acct_1', requestId, noon)
  await answers.close()
  return found
}

function edit(statement: string): void {
  const database = new DatabaseSync(path)
  database.exec(statement)
  database.close()
}

describe('a file of recorded answers', () => {
  test('holds them for the next process, which knows how much there is', async () => {
    await save('req_1', 'req_2')
    expect(await load('req_2')).toEqual(answer)
    const answers = openSqliteRecordedAnswers(path, { key, maxTotalBytes: 1_200 })
    for (let at = 3; at < 12; at += 1) await answers.save('acct_1', `req_${at}`, answer, noon + 1)
    expect(await answers.load('acct_1', 'req_1', noon)).toBeUndefined()
    expect(await answers.load('acct_1', 'req_11', noon)).toEqual(answer)
    await answers.close()
  })

  test('shows nothing of an answer to one who has not the key', async () => {
    const answers = openSqliteRecordedAnswers(path, { key })
    const secret = { ...answer, body: 'the-canary-in-the-answer' }
    await answers.save('acct_1', 'req_1', secret, noon + 1)
    for (const name of readdirSync(folder.path)) {
      if (name === 'answers.db') continue
      expect(readFileSync(join(folder.path, name)).includes('canary')).toBe(false)
    }
    await answers.close()
    expect(readFileSync(path).includes('canary')).toBe(false)
    expect(await load('req_1')).toEqual(secret)
    expect(await load('req_1', randomBytes(32))).toBeUndefined()
  })

  test('is not opened with a key of another length', () => {
    expect(() => openSqliteRecordedAnswers(path, { key: randomBytes(16) })).toThrow(RangeError)
  })

  test('that is damaged is made anew', async () => {
    await save('req_1')
    writeFileSync(path, 'nonsense '.repeat(1_000))
    expect(await load('req_1')).toBeUndefined()
    await save('req_1')
    expect(await load('req_1')).toEqual(answer)
  })

  const alterations = {
    'moved to another request': "UPDATE answer SET request_id = 'req_2'",
    'cut short': 'UPDATE answer SET sealed = substr(sealed, 1, 20)',
    emptied: "UPDATE answer SET sealed = x''",
    overwritten: 'UPDATE answer SET sealed = zeroblob(length(sealed))',
  }
  test.each(Object.entries(alterations))('gives back no answer that was %s', async (_name, sql) => {
    await save('req_1')
    edit(sql)
    expect(await load('req_1')).toBeUndefined()
    expect(await load('req_2')).toBeUndefined()
  })

  test('gives back no answer that was moved to another account', async () => {
    await save('req_1')
    edit("UPDATE answer SET account_id = 'acct_2'")
    const answers = openSqliteRecordedAnswers(path, { key })
    expect(await answers.load('acct_2', 'req_1', noon)).toBeUndefined()
    await answers.close()
  })

  test('passes the crash points around its write', async () => {
    const reached: CrashPoint[] = []
    const reachCrashPoint = (point: CrashPoint) => void reached.push(point)
    const answers = openSqliteRecordedAnswers(path, { key, reachCrashPoint })
    await answers.save('acct_1', 'req_1', answer, noon + 1)
    await answers.close()
    expect(reached).toEqual(['recorded-answer.before', 'recorded-answer.after'])
  })
})
