/** What `svc verify` finds out about a log that somebody changed with a SQLite shell. */
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { accountOfStream, accountStream } from '@svc/contracts/events/account'
import { fillLog, folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { describe, expect, test } from 'vitest'
import { alterTexts, cutLog, removeStream, rewriteStream } from '../testing/altered-log.ts'

const LAST_POSITION = 11

/** A folder whose views have seen all of its log. */
async function usedFolder() {
  const { path, account } = await folderWithHistory()
  const verify = (...args: string[]) => svc(['--data-dir', path, 'verify', ...args])
  await svc(['--data-dir', path, 'status'])
  const { out } = await verify('--json')
  const ledger = join(path, 'ledger.db')
  const stream = accountStream(account.accountId)
  return { path, ledger, stream, verify, head: JSON.parse(out).head as string }
}

/** Removes all that remembers the log, but the log. */
function forgetEverything(path: string): void {
  for (const name of readdirSync(path)) {
    if (!/^(ledger\.db|secrets\.json)/.test(name)) rmSync(join(path, name), { recursive: true })
  }
}

describe('an end that was cut off', () => {
  test.each([0, 3, LAST_POSITION - 1])(
    'behind position %d is found, again and again',
    async (last) => {
      const { ledger, verify } = await usedFolder()
      cutLog(ledger, last)
      const first = await verify()
      expect(first.code).toBe(1)
      expect(first.out).toMatch(/^gone or altered .* as the view accounts remembers it$/m)
      expect(first.out).not.toContain('verified')
      // A verification only looks and builds no view anew, so what views had seen is not forgotten.
      const second = await verify()
      expect(second.code).toBe(1)
      expect(second.out).toBe(first.out)
      expect(second.out).toMatch(/^gone or altered .* as log-head.json remembers it$/m)
    },
  )

  test('and forgotten by all that remembers is found by an anchor, and by nothing else', async () => {
    const { path, ledger, verify, head } = await usedFolder()
    cutLog(ledger, 5)
    forgetEverything(path)
    const plain = await verify()
    expect(plain.code).toBe(0)
    expect(plain.err).toContain('is not seen without an anchor')
    const anchored = await verify('--anchor', head)
    expect(anchored.code).toBe(1)
    expect(anchored.out).toBe('cut  the log ends before the anchor\n')
    expect(JSON.parse((await verify('--anchor', head, '--json')).out).anchor).toBe('cut')
  })
})

test('a stream that was removed is found by the positions it leaves empty', async () => {
  const { path, ledger, verify, stream } = await usedFolder()
  await fillLog(path, 1)
  removeStream(ledger, stream)
  forgetEverything(path)
  const { code, out } = await verify()
  expect(code).toBe(1)
  expect(out).toBe('removed  events at 11 positions of the log\n')
})

test('an anchor holds while the log only grows', async () => {
  const { path, verify, head } = await usedFolder()
  await fillLog(path, 300)
  const { code, out, err } = await verify('--anchor', head)
  expect(code).toBe(0)
  expect(out).toMatch(/^verified: 312 .*\nthe anchor holds: .*\nhead: 311-[0-9a-f]{64}\n$/)
  expect(err).not.toContain('is not seen')
})

test('an anchor of another log does not hold', async () => {
  const { verify, head } = await usedFolder()
  const { code, out } = await verify(
    '--anchor',
    head.replace(/.$/, (hex) => (hex === '0' ? '1' : '0')),
  )
  expect([code, out]).toEqual([1, 'altered  what lies before the anchor is not what it was\n'])
})

describe('a verification that goes on from a position', () => {
  /** Everything up to the position is signed; one event of the account lies behind. */
  async function signedFolder() {
    const folder = await usedFolder()
    const { path, stream, verify } = folder
    const account = accountOfStream(stream) ?? ''
    const run = (...args: string[]) => svc(['--data-dir', path, ...args])
    expect((await run('evidence', 'export', account)).code).toBe(0)
    const { position } = JSON.parse((await verify('--json')).out)
    const paid = ['--reason', 'paid', '--ref', 'INV-2']
    expect((await run('account', 'grant', account, '5', ...paid)).code).toBe(0)
    return { ...folder, position: `${position}` }
  }

  test('reads what lies behind it, and gives no head', async () => {
    const { position, verify } = await signedFolder()
    const { code, out, err } = await verify('--from', position)
    expect(code, err).toBe(0)
    expect(err).not.toContain('head')
    expect(err).toMatch(/events up to position 12 were not read: .* taken as they stand$/m)
    expect(out).toMatch(
      /^verified: 1 event in 1 stream, behind position 12 and up to position 13$/m,
    )
    const json = JSON.parse((await verify('--from', position, '--json')).out)
    expect(json).toMatchObject({ from: position, head: null, events: 1, contradicted: [] })
    expect((await verify('--from', '13')).out).toMatch(/^verified: 0 events/)
  })

  test('finds a past that was rewritten with all its hashes, where the past goes on', async () => {
    const { position, verify, ledger, stream } = await signedFolder()
    rewriteStream(ledger, stream, (data) => data.replace('"5000000000000"', '"6000000000000"'))
    const { code, out } = await verify('--from', position)
    expect(code).toBe(1)
    expect(out).toMatch(new RegExp(`^broken  ${stream}  revision 10  .* signed$`, 'm'))
  })

  test('finds it too when everything but the log was thrown away', async () => {
    const { position, verify, ledger, stream, path } = await signedFolder()
    rewriteStream(ledger, stream, (data) => data.replace('"5000000000000"', '"6000000000000"'))
    const key = readFileSync(join(path, 'evidence-key.json'))
    forgetEverything(path)
    writeFileSync(join(path, 'evidence-key.json'), key)
    const { code, err } = await verify('--from', position)
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('checkpoint 12 does not hold any more'),
    ])
  })

  test('finds an end that was cut off before it', async () => {
    const { verify } = await signedFolder()
    const { code, err } = await verify('--from', '14')
    expect([code, err]).toEqual([1, expect.stringContaining('its end was cut off')])
  })

  test('needs something that was signed, and no anchor', async () => {
    const { verify, head } = await usedFolder()
    const unsigned = await verify('--from', '3')
    expect([unsigned.code, unsigned.err]).toEqual([2, expect.stringContaining('nothing is signed')])
    expect((await verify('--from', '3', '--anchor', head)).code).toBe(2)
    expect((await verify('--from', 'yesterday')).code).toBe(2)
  })
})

test('an anchor that is none is a usage error', async () => {
  const { verify } = await usedFolder()
  expect(await verify('--anchor', 'soon')).toMatchObject({ code: 2, out: '' })
})

test('a text beside the log that was altered, or taken away without an erasure, is found', async () => {
  const { path, verify } = await usedFolder()
  const run = (...args: string[]) => svc(['--data-dir', path, ...args])
  const open = async (name: string) => (await run('account', 'open', '--name', name)).out.trim()
  const [altered, gone] = [await open('Ada'), await open('Bob')]
  await run('account', 'grant', altered, '5', '--reason', 'paid', '--ref', 'transfer of Ada')
  expect((await verify()).out).toContain('texts beside the log: 4 sound, 0 erased')
  alterTexts(join(path, 'texts.db'), 'transfer', gone)
  const { code, out, err } = await verify()
  expect(code).toBe(1)
  expect(err).toContain('texts beside the log were altered')
  expect(out).toContain(`text altered  ${accountStream(altered)}  revision 1\n`)
  expect(out).toContain(`text gone  ${accountStream(gone)}  from revision 0 on`)
  expect((await run('statement', altered)).out).not.toContain('Eve')
})

test('an erasure that a crash cut off is told, and finished by the next start', async () => {
  const { path, verify } = await usedFolder()
  const run = (...args: string[]) => svc(['--data-dir', path, ...args])
  const account = (await run('account', 'open', '--name', 'Ada')).out.trim()
  const [texts, before] = [join(path, 'texts.db'), join(path, 'texts.before')]
  copyFileSync(texts, before)
  await run('account', 'erase', account, '--reason', 'asked', '--yes')
  const { out } = await run('events', 'list', '--type', 'TextsErased', '--format', 'jsonl')
  const { changeId } = JSON.parse(out).data
  expect((await verify()).out).toContain('texts beside the log: 1 sound, 1 erased')
  copyFileSync(before, texts)
  const told = await verify()
  expect(told.code).toBe(1)
  expect(told.out).toContain(`text left  ${accountStream(account)}`)
  writeFileSync(join(path, 'erasures.json'), JSON.stringify([{ accountId: account, changeId }]))
  // The reason of the erasure is gone with the file of before, and with it alone.
  expect((await verify()).out).not.toContain('text left')
  expect(readFileSync(join(path, 'erasures.json'), 'utf8').trim()).toBe('[]')
  expect(readFileSync(texts).includes('Ada')).toBe(false)
})
