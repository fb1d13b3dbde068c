/** What the commands print on a data folder whose history is always the same: see `golden/`. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  failedRequest,
  finishedRequest,
  folderWithHistory,
  stoppedRequest,
} from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { alterAmount } from '../testing/altered-views.ts'

/** The account of the history was opened by it. */
const openedEvent = '01a19467-e800-8d07-a279-359b5f6226e4'

const questions: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['account-list', ['account', 'list']],
  ['account-show', ['account', 'show']],
  ['key-list', ['key', 'list']],
  ['price-list', ['price', 'list']],
  ['grant-list', ['grant', 'list']],
  ['hold-list', ['hold', 'list']],
  ['statement', ['statement']],
  ['usage', ['usage', '--from', '2026-11-01', '--to', '2026-11-08', '--tz', 'Asia/Kolkata']],
  ['requests', ['requests', '--from', '2026-11-01', '--to', '2026-11-08']],
  ['month', ['month', '2026-11', '--tz', 'Asia/Kathmandu']],
  ['explain-finished', ['explain', finishedRequest]],
  ['explain-stopped', ['explain', stoppedRequest]],
  ['explain-failed', ['explain', failedRequest]],
  ['verify', ['verify']],
  ['reconcile', ['reconcile']],
  ['projection-list', ['projection', 'list']],
  ['events-list', ['events', 'list']],
  ['event-show', ['events', 'show', openedEvent]],
  ['status', ['status']],
]

/** Remarks that are made beside an answer, on standard error. */
const remarks: Readonly<Record<string, RegExp>> = {
  // The verification says what it cannot see.
  verify: /^A change that was also made to [^\n]*\n$/,
  'hold-list': /^there are no holds\n$/,
  // The history stays where it is, and the clock of whoever tests goes on.
  month: /^(2026-11 is not over in Asia\/Kathmandu: these figures go on changing\n)?$/,
}

test('every question, as a table and as one JSON object', async () => {
  const { path } = await folderWithHistory()
  for (const [name, args] of questions) {
    for (const [format, extra] of [
      ['txt', []],
      ['json', ['--json']],
    ] as const) {
      const { code, out, err } = await svc(['--data-dir', path, ...args, ...extra])
      expect(code, `${name}: ${err}`).toBe(0)
      const direct = `no server runs on ${path}: opened it directly\n`
      const remark = remarks[name] ?? /^$/
      expect(err.startsWith(direct)).toBe(format === 'txt')
      expect(err.replace(direct, '')).toMatch(format === 'txt' ? remark : /^$/)
      const text = out.replaceAll(path, '/data').replace('"over":true', '"over":false')
      if (format === 'json') expect(JSON.parse(text).schema).toMatch(/^svc\.[a-z-]+\/[1-9]$/)
      await expect(text).toMatchFileSnapshot(`../golden/${name}.${format}`)
    }
  }
})

describe('statement', () => {
  test.each(['csv', 'jsonl', 'html'])('as %s', async (format) => {
    const { path } = await folderWithHistory()
    const { out } = await svc(['statement', '--data-dir', path, '--format', format])
    await expect(out).toMatchFileSnapshot(`../golden/statement.${format}`)
  })

  test.each(['table', 'csv', 'json', 'jsonl'])(
    'that does not add up is not printed as %s: the row is named, and the exit code is 1',
    async (format) => {
      const { path } = await folderWithHistory()
      expect((await svc(['--data-dir', path, 'statement'])).code).toBe(0)
      alterAmount(join(path, 'views'), 2, -29_700_001n)
      const ran = await svc(['--data-dir', path, '--quiet', 'statement', '--format', format])
      expect([ran.code, ran.out]).toEqual([1, ''])
      expect(ran.err).toBe(
        'svc: the statement: entry 2 does not add up: 5.00 + 0.00 - 0.000029700001 is not ' +
          '4.9999703; build the view again (svc projection rebuild statement) and check the ' +
          'history (svc verify)\n',
      )
    },
  )

  test('that a server sends is added up too', async () => {
    const { path } = await folderWithHistory()
    const { out } = await svc(['--data-dir', path, '--json', 'statement'])
    const { account_id: accountId, opening, closing, rows } = JSON.parse(out)
    rows[2].balance = '4.99'
    const page = { account_id: accountId, opening, closing, rows, more: false }
    await using server = await answering(JSON.stringify(page))
    const ran = await svc(['--url', server.url, 'statement', accountId], {
      environment: { SVC_OPERATOR_TOKEN: 'x' },
    })
    expect([ran.code, ran.out]).toEqual([1, ''])
    expect(ran.err).toContain('entry 3 does not add up')
  })

  test('of a period opens with the balance before it and closes with that after it', async () => {
    const { path } = await folderWithHistory()
    const period = ['--from', '2026-11-01T00:02:00Z', '--to', '2026-11-02']
    const { out } = await svc(['--data-dir', path, '--json', 'statement', ...period])
    const { opening, rows, closing } = JSON.parse(out)
    expect([opening, closing]).toEqual(['4.9999703', '4.9999406'])
    expect(rows).toHaveLength(1)
    expect(rows[0].reference).toBe(stoppedRequest)
  })
})

/** A server that gives one answer to everything. */
async function answering(body: string) {
  const server = createServer((_request, response) => void response.end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('the sums of accounts are those of the list', async () => {
  const { path } = await folderWithHistory()
  const ask = async (...args: string[]) =>
    JSON.parse((await svc(['--data-dir', path, '--json', 'account', ...args])).out)
  const [{ settled, held, available }] = (await ask('list')).accounts
  const sums = { schema: 'svc.account-sums/1', accounts: 1, damaged: 0, open_requests: 0 }
  // The sum is of the last thirty days, and the history stays where it is.
  const spent_30_days = expect.any(String)
  expect(await ask('sum')).toEqual({ ...sums, settled, held, available, spent_30_days })
  expect(await ask('sum', '--status', 'frozen')).toMatchObject({ accounts: 0, settled: '0.00' })
})

test.each([
  [0, 1, /^broken +1$/m, 'svc: history was altered, as of 2026-11-02T00:00:00Z\n'],
  [1, 0, /^found +nothing$/m, ''],
])('the last verification ends as it did: ok %i', async (ok, code, said, complaint) => {
  const found = { broken: code, unreadable: 0, set_aside: 0, missing_positions: 0 }
  const verification = {
    verified_at: '2026-11-02T00:00:00Z',
    verified_by: 'operator',
    from: null,
    position: '9',
    streams: 2,
    events: 10,
    head: null,
    anchor: null,
    ok: ok === 1,
    found,
  }
  await using server = await answering(JSON.stringify({ verification }))
  const environment = { SVC_OPERATOR_TOKEN: 'x' }
  const ran = await svc(['--url', server.url, '--quiet', 'verify', '--last'], { environment })
  expect([ran.code, ran.err]).toEqual([code, complaint])
  expect(ran.out).toMatch(said)
})

test('a log with one fault of a kind is told in the singular', async () => {
  const result = {
    type: 'result',
    ok: false,
    streams: 2,
    events: 10,
    position: '9',
    from: null,
    head: '9-aa',
    broken: [],
    unreadable: [{ stream: 'account-acct_1', revision: '3', cause: 'event Foreign' }],
    set_aside: [{ stream: 'account-acct_2', order: '$tb' }],
    missing_positions: '1',
    contradicted: [],
    foreign_events: '0',
    texts: { kept: 0, erased: 0, altered: [], missing: [], unfinished: [] },
    anchor: null,
  }
  await using server = await answering(`${JSON.stringify(result)}\n`)
  const environment = { SVC_OPERATOR_TOKEN: 'x' }
  const ran = await svc(['--url', server.url, '--quiet', 'verify'], { environment })
  expect([ran.code, ran.err]).toEqual([
    1,
    'svc: history was altered: 1 stream with events that are none of ours, ' +
      '1 stream told to forget events, 1 event removed\n',
  ])
})

test('what no credit covered of a request is told beside what did', async () => {
  const golden = readFileSync(new URL('../golden/explain-finished.json', import.meta.url), 'utf8')
  const { schema: _, ...receipt } = JSON.parse(golden)
  const grants = receipt.grants.map((grant: object) => ({ ...grant, amount: '0.000001' }))
  await using server = await answering(JSON.stringify({ ...receipt, grants }))
  const environment = { SVC_OPERATOR_TOKEN: 'x' }
  const ran = await svc(['--url', server.url, 'explain', finishedRequest], { environment })
  expect(ran.out).toMatch(/paid from +grant_\w+: 0\.000001 USD\n *owed +0\.0000287 USD, which/)
})

test('a rebuild is cancelled by its name', async () => {
  await using server = await answering(JSON.stringify({ cancelled: true }))
  const environment = { SVC_OPERATOR_TOKEN: 'x' }
  const words = ['projection', 'cancel-rebuild', 'usage']
  const ran = await svc(['--url', server.url, ...words], { environment })
  expect([ran.code, ran.out]).toEqual([0, 'usage\n'])
  expect(ran.err).toContain('cancelled; the live view is as it was')
})

test('a correction of a price can be tried, and the trial names what doing it takes', async () => {
  const { path } = await folderWithHistory()
  const folder = ['--data-dir', path]
  const { prices } = JSON.parse((await svc([...folder, '--json', 'price', 'list'])).out)
  const rates = ['--input', '0.015', '--cached-input', '0.0015', '--output', '0.06']
  await svc([...folder, 'price', 'publish', ...rates, '--yes'])
  const correct = [...folder, 'price', 'correct', prices[0].version, ...rates, '--reason', 'point']
  const tried = await svc([...correct, '--dry-run'])
  expect(tried.err).toContain('with --idempotency-key in place of --dry-run it is done')
  const done = await svc([...correct, '--idempotency-key', 'point'])
  expect([done.code, done.err]).toEqual([0, expect.stringContaining('corrected now')])
})

test('a grant can be tried: the balance before and after, and nothing is given', async () => {
  const { path, account } = await folderWithHistory()
  const words = ['account', 'grant', account.accountId, '500', '--reason', 'gift', '--dry-run']
  const tried = await svc(['--data-dir', path, ...words])
  expect(tried.err).toContain('nothing was changed: without --dry-run it is done')
  expect(tried.out).toMatch(/^balance before +4\.9999406 USD\nbalance after +504\.9999406 USD\n/m)
  const { out } = await svc(['--data-dir', path, '--json', ...words])
  expect(JSON.parse(out)).toMatchObject({ schema: 'svc.grant-preview/1', created: false })
  const shown = await svc(['--data-dir', path, '--json', 'account', 'show'])
  expect(JSON.parse(shown.out).settled).toBe('4.9999406')
})

test('writes print the id alone on standard output, and how to see it on standard error', async () => {
  const { path } = await folderWithHistory()
  const at = ['--data-dir', path]
  const opened = await svc([...at, 'account', 'open', '--name', 'Grace', '--policy', 'strict'])
  expect(opened.out).toMatch(/^acct_\w{26}\n$/)
  const account = opened.out.trim()
  expect(opened.err).toContain(`svc account show ${account}`)

  const granted = await svc([...at, 'account', 'grant', account, '2.50', '--reason', 'gift'])
  expect(granted.out).toMatch(/^grant_\w{26}\n$/)
  const made = await svc([...at, '--json', 'key', 'create', '--account', account, '--name', 'k'])
  const { key_id: keyId, secret } = JSON.parse(made.out)
  expect(secret).toMatch(/^sk-svc-/)

  for (const one of [account, keyId]) {
    const half = await svc([...at, 'key', 'revoke', one, '--yes'])
    expect([half.code, half.out]).toEqual([2, ''])
    expect(half.err).toContain('name the account and the key: svc key revoke acct_… key_…')
  }
  const unasked = await svc([...at, 'key', 'revoke', account, keyId])
  expect([unasked.code, unasked.out]).toEqual([2, ''])
  expect(unasked.err).toContain('--yes')
  const declined = await svc([...at, 'key', 'revoke', account, keyId], { answer: false })
  expect(declined.code).toBe(2)
  const revoked = await svc([...at, 'key', 'revoke', account, keyId], { answer: true })
  expect([revoked.code, revoked.out]).toEqual([0, `${keyId}\n`])
  expect(revoked.err).toContain(`revoked; see it with: svc key list ${account}`)
  const revoke = ['key', 'revoke', account, keyId, '--yes']
  const { revoked_at: revokedAt, ...rest } = JSON.parse(
    (await svc([...at, '--json', ...revoke])).out,
  )
  expect(rest).toEqual({ schema: 'svc.key-revoked/2', key_id: keyId, already_revoked: true })
  const again = await svc([...at, ...revoke])
  expect([again.code, again.out]).toEqual([0, `${keyId}\n`])
  expect(again.err).toContain(`was revoked already on ${revokedAt}`)
  const keys = JSON.parse((await svc([...at, '--json', 'key', 'list', account])).out).keys
  expect(keys).toMatchObject([{ key_id: keyId, revoked_at: revokedAt }])

  const price = ['price', 'publish', '--input', '0.2', '--cached-input', '0.02', '--output', '1']
  expect((await svc([...at, ...price])).out).toMatch(/^price_\w{26}\n$/)
  const shown = JSON.parse((await svc([...at, '--json', 'account', 'show', account])).out)
  expect(shown).toMatchObject({ available: '2.50', spend_policy: 'strict' })
  expect(shown.keys).toMatchObject([{ key_id: keyId, status: 'revoked' }])
  const rebuilt = await svc([...at, '--json', 'projection', 'rebuild', 'statement'])
  expect(JSON.parse(rebuilt.out)).toMatchObject({ schema: 'svc.rebuild/1', differences: 0 })
})

test('accounts are found by name and external id, and it is said that there are none', async () => {
  const { path } = await folderWithHistory()
  const run = (...args: readonly string[]) => svc(['--data-dir', path, ...args])
  const opened = await run('account', 'open', '--name', 'Grace Hopper', '--external-id', 'crm-7')
  const id = opened.out.trim()
  for (const search of ['hopper', 'CRM-7']) {
    const { accounts } = JSON.parse(
      (await run('--json', 'account', 'list', '--search', search)).out,
    )
    expect(accounts).toMatchObject([{ account_id: id }])
  }
  const none = await run('account', 'list', '--search', 'nobody')
  expect([none.code, none.err]).toEqual([0, expect.stringContaining('there are no such accounts')])
  expect(none.out).toMatch(/^ACCOUNT [^\n]*\n$/)
})

test('accounts come in the order that is asked for, or of one status: UX-51', async () => {
  const { path } = await folderWithHistory()
  const run = (...args: readonly string[]) => svc(['--data-dir', path, ...args])
  const open = async (name: string) => (await run('account', 'open', '--name', name)).out.trim()
  const [zoe = ''] = [await open('Zoe'), await open('Ben 10'), await open('Ben 9')]
  expect((await run('account', 'freeze', zoe, '--reason', 'a test')).code).toBe(0)
  const listed = async (...args: readonly string[]) => {
    const { out } = await run('--json', 'account', 'list', ...args)
    return (JSON.parse(out).accounts as { readonly name: string }[]).map(({ name }) => name)
  }
  expect(await listed()).toEqual(['Ada', 'Zoe', 'Ben 10', 'Ben 9'])
  expect(await listed('--order', 'name')).toEqual(['Ada', 'Ben 9', 'Ben 10', 'Zoe'])
  expect((await listed('--order', 'status'))[0]).toBe('Zoe')
  expect(await listed('--order', 'newest', '--status', 'open')).toEqual(['Ben 9', 'Ben 10', 'Ada'])
  expect((await run('account', 'list', '--search', 'Ben', '--order', 'name')).code).toBe(2)
})

test('an account must be named when there are several', async () => {
  const { path } = await folderWithHistory()
  await svc(['--data-dir', path, 'account', 'open', '--name', 'Grace'])
  const { code, err } = await svc(['--data-dir', path, '--quiet', 'statement'])
  expect([code, err]).toEqual([
    2,
    'svc: there are several accounts: name one (see: svc account list)\n',
  ])
})

test('colours only where somebody sees them', async () => {
  const { path } = await folderWithHistory()
  const list = ['--data-dir', path, 'account', 'list']
  const seen = { outIsTerminal: true }
  const escapeCode = '\u001b['
  expect((await svc(list)).out).not.toContain(escapeCode)
  expect((await svc(list, seen)).out).toContain(escapeCode)
  expect((await svc([...list, '--color', 'never'], seen)).out).not.toContain(escapeCode)
  const plain = await svc(list, { ...seen, environment: { NO_COLOR: '1' } })
  expect(plain.out).not.toContain(escapeCode)
  expect((await svc([...list, '--color', 'always'])).out).toContain(escapeCode)
})

test('a name cannot drive the terminal', async () => {
  const { path } = await folderWithHistory()
  const id = 'Ada\u001b[2J\u202eevil'
  const open = ['--data-dir', path, 'account', 'open', '--name']
  const accountId = (await svc([...open, 'Ada', '--external-id', id])).out.trim()
  const show = ['--data-dir', path, 'account', 'show', accountId]
  expect((await svc(show)).out).toContain('Ada?[2J?evil')
  expect(JSON.parse((await svc([...show, '--json'])).out).external_id).toBe(id)
  for (const mark of ['\u0000', '\u001b', '\u009b', '\n', '\u202e', '\u202d']) {
    const { code, err } = await svc([...open, `Ada${mark}evil`])
    expect([code, err]).toEqual([2, expect.stringContaining('--name: must have no control char')])
  }
  // Hebrew needs no override, and what pairs marks or joins emoji harms nobody.
  expect((await svc([...open, '\u2067שלום\u2069 \u200f👩\u200d🚀'])).code).toBe(0)
})

test('no row is wider than the terminal, and what is left out is said', async () => {
  const { path } = await folderWithHistory()
  const name = `${'a very long name '.repeat(8)}株式会社`
  await svc(['--data-dir', path, 'account', 'open', '--name', name])
  const account = (await svc(['--data-dir', path, 'account', 'list'])).out.split('\n')[1] ?? ''
  const accountId = account.split(' ')[0] ?? ''
  for (const [name, args] of questions) {
    const words = ['account-show', 'key-list', 'requests', 'statement', 'usage'].includes(name)
      ? [accountId]
      : []
    const { out, err, code } = await svc(['--data-dir', path, ...args, ...words], { columns: 80 })
    expect(code, err).toBe(0)
    for (const line of out.split('\n')) expect(stringWidth(line), line).toBeLessThanOrEqual(80)
    if (name === 'events-list') {
      expect(err).toContain('too wide for this terminal, and left out: ID, HASH (--json has all)')
    }
  }
})

test('a folder that holds nothing is left as it is', async () => {
  const path = `${temporaryFolder()}/none`
  const { code, err } = await svc(['--data-dir', path, 'status'])
  expect(code).toBe(3)
  expect(err).toContain('holds no ledger')
})
