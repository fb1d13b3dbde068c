import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { runToEnd } from '@svc/testing/bounded-run'
import { runProgram } from '@svc/testing/child-process'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { beforeEach, describe, expect, test } from 'vitest'
import { body, describeExpiringStore, noon } from '../expiring-store.suite.ts'
import { responseBounds } from '../store-bounds.ts'
import { openSqliteExpiringStore } from './sqlite-expiring-store.ts'

const key = randomBytes(32)
let folder: string
let path: string
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'responses.db')
})

const open = (bounds = responseBounds, otherKey: Uint8Array = key) =>
  openSqliteExpiringStore(path, { kind: 'responses', key: otherKey, bounds })

describeExpiringStore('SQLite', (bounds) => open(bounds))

async function save(text: string, ...responseIds: string[]): Promise<void> {
  const responses = open()
  for (const id of responseIds) await responses.save('acct_1', id, text, noon + 1)
  await responses.close()
}

async function load(responseId: string, otherKey = key, accountId = 'acct_1') {
  const responses = open(responseBounds, otherKey)
  const found = await responses.load(accountId, responseId, noon)
  await responses.close()
  return found
}

function edit(statement: string): void {
  const database = new DatabaseSync(path)
  database.exec(statement)
  database.close()
}

describe('a file of texts', () => {
  test('holds them for the next process, which knows how much there is', async () => {
    await save('x'.repeat(1_000), 'resp_1', 'resp_2')
    expect(await load('resp_2')).toHaveLength(1_000)
    const bounds = { maxAccountBytes: 8_500, maxTotalBytes: 10_000 }
    const responses = open(bounds)
    for (let at = 3; at < 10; at += 1) {
      await responses.save('acct_1', `resp_${at}`, 'x'.repeat(1_000), noon + 1)
    }
    expect(await responses.load('acct_1', 'resp_1', noon)).toBeUndefined()
    expect(await responses.load('acct_1', 'resp_9', noon)).toHaveLength(1_000)
    await responses.close()
  })

  test('shows nothing of a response to one who has not the key', async () => {
    const responses = open()
    await responses.save('acct_1', 'resp_1', 'the-canary-in-the-response', noon + 1)
    for (const name of readdirSync(folder)) {
      if (name === 'responses.db') continue
      expect(readFileSync(join(folder, name)).includes('canary')).toBe(false)
    }
    await responses.close()
    expect(readFileSync(path).includes('canary')).toBe(false)
    expect(await load('resp_1')).toBe('the-canary-in-the-response')
    expect(await load('resp_1', randomBytes(32))).toBeUndefined()
  })

  test('is not opened with a key of another length', () => {
    expect(() => open(responseBounds, randomBytes(16))).toThrow(RangeError)
  })

  test('that is damaged is made anew', async () => {
    await save(body, 'resp_1')
    writeFileSync(path, 'nonsense '.repeat(1_000))
    expect(await load('resp_1')).toBeUndefined()
    await save(body, 'resp_1')
    expect(await load('resp_1')).toBe(body)
  })

  const alterations = {
    'moved to another id': "UPDATE entry SET id = 'resp_2'",
    'cut short': 'UPDATE entry SET sealed = substr(sealed, 1, 20)',
    emptied: "UPDATE entry SET sealed = x''",
    overwritten: 'UPDATE entry SET sealed = zeroblob(length(sealed))',
  }
  test.each(Object.entries(alterations))('gives back none that was %s', async (_name, sql) => {
    await save(body, 'resp_1')
    edit(sql)
    expect(await load('resp_1')).toBeUndefined()
    expect(await load('resp_2')).toBeUndefined()
  })

  test('gives back none that was moved to another account', async () => {
    await save(body, 'resp_1')
    edit("UPDATE entry SET account_id = 'acct_2'")
    expect(await load('resp_1', key, 'acct_2')).toBeUndefined()
  })

  test('of before its tables had their names is read on', async () => {
    await save(body, 'resp_1')
    edit(`
      DROP INDEX room_by_use;
      ALTER TABLE entry RENAME COLUMN id TO response_id;
      ALTER TABLE entry RENAME TO response;
      PRAGMA user_version = 1`)
    expect(await load('resp_1')).toBe(body)
    await save('x', 'resp_2')
    expect(await load('resp_2')).toBe('x')
  })

  test('of another kind is made anew', async () => {
    await save(body, 'resp_1')
    const answers = openSqliteExpiringStore(path, { kind: 'answers', key, bounds: responseBounds })
    expect(await answers.load('acct_1', 'resp_1', noon)).toBeUndefined()
    await answers.save('acct_1', 'req_1', body, noon + 1)
    expect(await answers.load('acct_1', 'req_1', noon)).toBe(body)
    await answers.close()
  })
})

const canTrace = runToEnd('strace', ['-o', '/dev/null', 'true']).status === 0

test.skipIf(!canTrace)(
  'the disk is waited for beside the event loop, and not for each text',
  async () => {
    const trace = join(folder, 'trace')
    const calls = 'trace=fsync,fdatasync,unlink'
    const wrapper = ['strace', '-f', '--seccomp-bpf', '-y', '-qq', '-e', calls, '-o', trace]
    const program = new URL('testing/save-many.ts', import.meta.url)
    const saving = runProgram(program, [path], { wrapper })
    await saving.ended
    expect(saving.lines).toContain('saved')
    const mainThread = saving.lines.find((line) => line.startsWith('opened'))?.split(' ')[1]
    // These syncs do not count: SQLite syncs while it opens the file, before anybody is served.
    const syncs = readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => /f(data)?sync\(/.test(line) && line.includes(path))
    const beside = syncs.filter((line) => line.split(' ')[0] !== mainThread)
    expect(beside.length).toBeGreaterThanOrEqual(8)
    expect(beside.length).toBeLessThan(100)
    const last = syncs.findLastIndex((line) => line.split(' ')[0] === mainThread)
    expect(last).toBeLessThan(syncs.indexOf(beside[0] ?? ''))
    expect(await load('resp_1499', Buffer.alloc(32), 'acct_1')).toHaveLength(16_000)
  },
)

test.skipIf(!canTrace)('what was removed stays so over a loss of power', async () => {
  const trace = join(folder, 'trace')
  const calls = 'trace=write,fdatasync'
  const wrapper = ['strace', '-f', '--seccomp-bpf', '-y', '-qq', '-e', calls, '-o', trace]
  const program = new URL('testing/remove-texts.ts', import.meta.url)
  await runProgram(program, [path], { wrapper }).ended
  const happened = readFileSync(trace, 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.includes('fdatasync(') && line.includes(path)) return 'synced'
      return /write\(1.*"(saved|removed one|removed all)/.exec(line)?.[1] ?? []
    })
  const after = happened.slice(happened.indexOf('saved'))
  expect(after).toEqual(['saved', 'synced', 'removed one', 'synced', 'removed all'])
})
