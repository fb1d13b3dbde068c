/** How `svc` ends, for every reason that a script can tell apart. */
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ErrorCode, errorCatalogue, ServiceError } from '@svc/contracts/errors'
import { bareEnvironment } from '@svc/testing/bare-environment'
import { runToEnd } from '@svc/testing/bounded-run'
import { fillLog, folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { describe, expect, test } from 'vitest'
import * as codes from './exit-codes.ts'

const bin = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))
const checkout = fileURLToPath(new URL('../../../..', import.meta.url))
/** These are more than the 64 KiB that a pipe holds, and what `head` reads at once. */
const EVENTS_BEYOND_A_PIPE = 2_000
const isRoot = process.getuid?.() === 0
const NOBODY = 65_534
/** Root may enter every folder. */
const asAnother = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
const noEvent = '00000000-0000-8000-8000-000000000000'
const noAccount = `acct_${'0'.repeat(26)}`

test.each<readonly [string, readonly string[], number, RegExp]>([
  ['an unknown command', ['conjure'], 2, /unknown command 'conjure'/],
  ['an unknown option', ['status', '--loud'], 2, /unknown option '--loud'/],
  [
    'a mistyped option, which another is missed for',
    ['account', 'open', '--nmae', 'x'],
    2,
    /^error: unknown option '--nmae'\n\(Did you mean --name\?\)/,
  ],
  ['a missing option', ['account', 'open'], 2, /required option '--name/],
  [
    'two values of one name',
    ['account', 'open', '--name', 'x', '--metadata', 'a=1', 'b=1', 'a=2'],
    2,
    /svc: --metadata: "a" is there twice/,
  ],
  ['a missing account', ['account', 'grant', '5', '--reason', 'x'], 2, /name the account/],
  ['no amount', ['account', 'grant', noAccount, 'five', '--reason', 'x'], 2, /not an amount/],
  ['an amount of zero', ['account', 'grant', noAccount, '0', '--reason', 'x'], 2, /above zero/],
  ['a time that is none', ['statement', '--from', 'soon'], 2, /--from: "soon" is no time/],
  [
    'a day that is in no calendar',
    ['account', 'grant', noAccount, '1', '--reason', 'x', '--expires', '2027-02-30'],
    2,
    /--expires: "2027-02-30" is no time/,
  ],
  [
    'a time of a day that is in no calendar',
    ['key', 'create', noAccount, '--name', 'x', '--expires', '2027-06-31T12:00:00+02:00'],
    2,
    /--expires: "2027-06-31T12:00:00\+02:00" is no time/,
  ],
  ['a limit that is none', ['events', 'list', '--limit', '0'], 2, /--limit: "0"/],
  ['a format that is none', ['statement', '--format', 'xls'], 2, /Allowed choices/],
  [
    'a period that ends before it begins',
    ['statement', '--from', '2026-12-01', '--to', '2026-01-01'],
    2,
    /is after --to/,
  ],
  [
    'an event type that is none',
    ['events', 'list', '--type', 'CreditDebit'],
    2,
    /no event type "CreditDebit": the types are .*CreditDebited/,
  ],
  ['an unknown stream', ['events', 'list', '--stream', 'x'], 3, /There is no stream x/],
  ['a name of nothing', ['account', 'open', '--name', ' '], 2, /1 to 200 characters/],
  ['a place beyond the log', ['account', 'show', '--as-of', '999999'], 2, /svc: --as-of: the log/],
  [
    'a month that no time ends',
    ['month', '9999-12'],
    2,
    /MONTH: "9999-12" reaches beyond the years/,
  ],
  ['a zone that is none', ['month', '2026-11', '--tz', 'nope'], 2, /svc: --tz: /],
  ['nobody to invite', ['user', 'invite'], 2, /svc: --account: .* in --role .* or both$/m],
  [
    'a part in no account',
    ['user', 'invite', '--role', 'owner', '--as', 'member'],
    2,
    /svc: --as: name the account of this role in --account$/m,
  ],
  ['a group that is none', ['usage', '--group-by', 'x'], 2, /svc: --group-by: must be some of/],
  [
    'a policy that is none',
    ['account', 'set-policy', noAccount, 'lax', '--reason', 'x'],
    2,
    /Allowed/,
  ],
  ['a status that is none', ['requests', '--status', 'x'], 2, /Allowed choices are/],
  ['nothing to erase', ['erase', '', '--reason', 'x', '--yes'], 2, /svc: ID: must not be empty/],
  ['no link to revoke', ['user', 'revoke-link', '', '--yes'], 2, /svc: LINK: must not be empty/],
  [
    'a price without a name',
    ['price', 'withdraw', '', '--yes'],
    2,
    /svc: PRICE: must not be empty/,
  ],
  [
    'an amount below zero',
    ['account', 'grant', noAccount, '--reason', 'x', '--', '-1'],
    2,
    /svc: AMOUNT: /,
  ],
  [
    'an unknown account',
    ['account', 'show', noAccount],
    3,
    /no account acct_0.*See: svc account list/,
  ],
  [
    'a grant to an unknown account',
    ['account', 'grant', noAccount, '1', '--reason', 'x'],
    3,
    /There is no account acct_0/,
  ],
  [
    'a freeze of an unknown account',
    ['account', 'freeze', noAccount, '--reason', 'x'],
    3,
    /There is no account acct_0/,
  ],
  ['an unknown request', ['explain', 'req_none'], 3, /There is no request req_none/],
  ['usage of an unknown key', ['usage', '--key', 'nope'], 3, /no key nope.*See: svc key list/],
  ['requests of an unknown key', ['requests', '--key', 'nope'], 3, /The account has no key nope/],
  ['grants of an unknown account', ['grant', 'list', noAccount], 3, /There is no account acct_0/],
  ['holds of an unknown account', ['hold', 'list', noAccount], 3, /There is no account acct_0/],
  ['an unknown event', ['events', 'show', noEvent], 3, /no such event/],
  [
    'a verification that was never kept',
    ['verify', '--last'],
    3,
    /no verification was kept yet: svc verify/,
  ],
  ['no rebuild of nothing', ['projection', 'cancel-rebuild', 'none'], 3, /the views are accounts/],
  ['an unknown projection', ['projection', 'rebuild', 'none'], 3, /the views are accounts/],
])('%s', async (_what, args, code, message) => {
  const { path } = await folderWithHistory()
  const ran = await svc(['--data-dir', path, '--quiet', ...args])
  expect(ran.code, ran.err).toBe(code)
  expect(ran.err).toMatch(message)
  expect(ran.err).not.toMatch(/\bat .*\.ts:/)
  expect(ran.out).toBe('')
})

test.each([['--yes'], []])(
  'an account with a balance is not closed until --remainder says what becomes of it %s',
  async (...yes) => {
    const { path, account } = await folderWithHistory()
    const words = ['account', 'close', account.accountId, ...yes, '--reason', 'left us']
    const ran = await svc(['--data-dir', path, '--quiet', ...words])
    expect([ran.code, ran.out]).toEqual([5, ''])
    expect(ran.err).toMatch(/^svc: --remainder: The balance is .*paid out or written off/)
  },
)

test('what can be done is asked for: an account that is closed, texts that are erased', async () => {
  const { path, account } = await folderWithHistory()
  for (const words of [['close', '--remainder', 'written_off'], ['erase']]) {
    const [what = '', ...options] = words
    const asked = ['account', what, account.accountId, '--reason', 'left us', ...options]
    const ran = await svc(['--data-dir', path, '--quiet', ...asked])
    expect([ran.code, ran.out]).toEqual([2, ''])
    expect(ran.err).toMatch(/There is nobody to ask: say --yes/)
  }
})

test('an event type that is none cannot be followed either', async () => {
  const { path } = await folderWithHistory()
  const ran = await svc(['--data-dir', path, '--json', 'events', 'tail', '--type', 'x'])
  expect([ran.code, ran.out]).toEqual([2, ''])
  expect(ran.err).toMatch(/^svc: --type: there is no event type "x"/)
})

test('altered history is found, named, and ends with 1', async () => {
  const { path, account } = await folderWithHistory()
  const file = join(path, 'ledger.db')
  const bytes = readFileSync(file)
  const at = bytes.lastIndexOf('"amount":"29700000"')
  expect(at).toBeGreaterThan(0)
  bytes.write('"amount":"29700001"', at)
  writeFileSync(file, bytes)
  const ran = await svc(['--data-dir', path, '--quiet', 'verify'])
  expect(ran.code).toBe(1)
  expect(ran.out).toMatch(
    new RegExp(`^broken  account-${account.accountId}  revision [58]  event \\w+ does not fit`),
  )
  expect(ran.err).toContain('history was altered: 1 of 2 chains are broken')
})

test('the page names the codes that there are, and no others', () => {
  const page = readFileSync(join(checkout, 'docs/reference/cli.md'), 'utf8')
  const [, table = ''] = page.split('## Exit codes')
  const named = [...table.matchAll(/^\| (\d+) +\| /gm)].map(([, code]) => Number(code))
  const all = Object.values(codes).filter((value) => typeof value === 'number')
  expect(named).toEqual(all.toSorted((a, b) => a - b))
})

test('every refusal of the catalogue ends with a documented code', () => {
  const documented = new Set(Object.values(codes).filter((value) => typeof value === 'number'))
  for (const code of Object.keys(errorCatalogue) as ErrorCode[]) {
    const exit = codes.exitCodeOf(new ServiceError(code, 'x'))
    expect(documented).toContain(exit)
    expect(exit).not.toBe(0)
  }
  expect(codes.exitCodeOf(new ServiceError('view_behind', 'x'))).toBe(7)
  expect(codes.exitCodeOf(new ServiceError('invalid_api_key', 'x'))).toBe(4)
  // 1 would say that a check has found records missing.
  expect(codes.exitCodeOf(new ServiceError('feed_unavailable', 'x'))).toBe(6)
})

describe('as a process', () => {
  test('through the binary, with the folder from the environment', async () => {
    const { path } = await folderWithHistory()
    const ran = runToEnd(process.execPath, [bin, '--json', 'account', 'list'], {
      env: { ...process.env, SVC_DATA_DIR: path },
    })
    expect(ran.stderr).toBe('')
    expect(ran.status).toBe(0)
    expect(JSON.parse(ran.stdout).accounts).toHaveLength(1)
  })

  test.each([
    ['before the first byte', 'exec 3> >(:); wait $!; svc events tail --after 0 >&3', /^$/],
    ['in the middle', 'svc --json events list --all | head -1', /^\{"schema":/],
    // Nothing more is written: no write tells that the reader has gone.
    ['while a command waits', 'svc events tail | head -1', /^POSITION/],
  ])('a reader that goes %s is no error', async (_when, command, read) => {
    const { path } = await folderWithHistory()
    await fillLog(path, EVENTS_BEYOND_A_PIPE)
    const svc = `svc() { "${process.execPath}" "${bin}" --quiet --data-dir "${path}" "$@"; }`
    const ran = runToEnd('bash', ['-o', 'pipefail', '-c', `${svc}; ${command}`])
    expect([ran.status, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout).toMatch(read)
  })

  test.runIf(existsSync('/dev/full')).each([
    ['a table', ['account', 'list']],
    ['a list in JSON', ['--json', 'events', 'list']],
    ['the help', ['events', '--help']],
  ])('a full disk under the output is one line: %s', async (_what, args) => {
    const { path } = await folderWithHistory()
    const full = openSync('/dev/full', 'w')
    const ran = runToEnd(process.execPath, [bin, '--quiet', '--data-dir', path, ...args], {
      stdio: ['ignore', full, 'pipe'],
    })
    closeSync(full)
    expect(ran.stderr).toMatch(/^svc: the output cannot be written: ENOSPC[^\n]*\n$/)
    expect(ran.status).toBe(codes.EXIT_OUTPUT)
  })

  test.each([
    ['./svc', join(checkout, 'svc'), ['start']],
    ['its launcher', bin, ['start']],
    ['npm start', 'npm', ['start', '--silent', '--']],
  ])('%s tells of a missing --env-file itself, before Node does', (_what, command, words) => {
    const file = join(temporaryFolder(), 'none.env')
    const ran = runToEnd(command, [...words, '--env-file', file], {
      cwd: checkout,
    })
    expect(ran.stderr).toContain(`svc: --env-file: there is no file ${file}\n`)
    expect(ran.status).toBe(2)
  })

  test.each([
    [['start', 'relay', '--model', 'm.gguf'], 'svc start relay has no option --model'],
    [['--url', 'http://127.0.0.1:1', 'start'], 'svc start has no option --url'],
  ])('%j is refused for an option that does nothing there', (words, message) => {
    const ran = runToEnd(process.execPath, [bin, ...words])
    expect(ran.stderr).toContain(message)
    expect(ran.status).toBe(codes.EXIT_USAGE)
  })

  test.each([
    ['/none.gguf', codes.EXIT_USAGE, /^svc: the model file does not exist: \/none\.gguf\n$/],
    [
      '/',
      codes.EXIT_DIFFERENCE,
      /^svc: the model must be a GGUF file, but this is a folder: \/\n$/,
    ],
  ])('a server does not start on the model %s, and ends with %i', (model, code, message) => {
    const folder = temporaryFolder()
    const words = ['start', '--data-dir', folder, '--port', '0', '--model', model]
    const env = bareEnvironment()
    const ran = runToEnd(process.execPath, [bin, ...words], { env })
    expect(ran.stderr).toMatch(message)
    expect(ran.status).toBe(code)
  })

  test('a setting that an option gave is named as the option', () => {
    const started = (words: readonly string[], environment = {}) => {
      const env = { PATH: process.env.PATH, ...environment }
      return runToEnd(process.execPath, [bin, 'start', ...words], { env })
    }
    const typed = started(['--port', 'abc'])
    expect([typed.status, typed.stderr]).toEqual([2, expect.stringMatching(/^svc: --port: must/)])
    expect(started([], { SVC_PORT: 'abc' }).stderr).toMatch(/^svc: SVC_PORT: must/)
  })

  test('./svc works from anywhere, also through a link', () => {
    const folder = temporaryFolder()
    symlinkSync(join(checkout, 'svc'), join(folder, 'svc'))
    const ran = runToEnd('./svc', ['--version'], { cwd: folder })
    expect(ran.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(ran.status).toBe(0)
  })

  test.runIf(othersCanRun()).each([['status'], ['verify'], ['operator-token'], ['start']])(
    'a folder above that may not be entered is what %s tells of',
    (command) => {
      const above = temporaryFolder()
      const path = join(above, 'data')
      mkdirSync(path, { mode: 0o700 })
      if (!isRoot) chmodSync(above, 0)
      const ran = runToEnd(process.execPath, [bin, '--data-dir', path, command], asAnother)
      if (!isRoot) chmodSync(above, 0o700)
      expect(ran.stderr).toContain(`svc: this user may not enter ${above}: run svc as the user`)
      expect(ran.status).toBe(codes.EXIT_UNREACHABLE)
    },
  )

  test.runIf(othersCanRun()).each([['data'], ['.']])(
    'the doctor says nothing of what it cannot see in %s of a closed folder',
    (name) => {
      const above = temporaryFolder()
      const path = join(above, name)
      mkdirSync(path, { recursive: true, mode: 0o700 })
      if (!isRoot) chmodSync(above, 0)
      const ran = runToEnd(process.execPath, [bin, '--data-dir', path, 'doctor'], asAnother)
      if (!isRoot) chmodSync(above, 0o700)
      expect(ran.stdout).toContain(`data folder: this user may not enter ${above}`)
      expect(ran.stdout).toMatch(/^note +permissions: not looked at/m)
      expect(ran.stdout).toMatch(/^note +ledger: not looked at/m)
      expect(ran.stdout).not.toMatch(/none yet|EACCES|a first start/)
    },
  )

  test('a folder that does not exist is not made', () => {
    const path = join(temporaryFolder(), 'none')
    const ran = runToEnd(process.execPath, [bin, '--data-dir', path, 'status'])
    expect(ran.status).toBe(3)
    expect(ran.stderr.trim().split('\n')).toHaveLength(1)
  })
})

/**
 * Tells whether another user can run the checkout. Nobody but root can where it is for root alone.
 */
function othersCanRun(): boolean {
  return runToEnd(process.execPath, [bin, '--version'], asAnother).status === 0
}
