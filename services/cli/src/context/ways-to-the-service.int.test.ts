/** What `svc` is asked to reach: a URL with a token, or a data folder. */
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'

test('a URL without a token is a usage error', async () => {
  expect((await svc(['--url', 'http://127.0.0.1:1', 'status'])).code).toBe(2)
  expect((await svc(['--url', 'nonsense', 'status'])).code).toBe(2)
})

test('a URL with a password is a usage error, and is not printed', async () => {
  const ran = await svc(['--url', 'http://a:secret@127.0.0.1:1', 'status'], {
    environment: { SVC_OPERATOR_TOKEN: 'x' },
  })
  expect([ran.code, ran.err]).toEqual([2, 'svc: --url: leave out what stands before the @\n'])
})

test.each(['/v1', '/proxy/', '/?a=b', '/#a'])('a URL with more than its host: %s', async (rest) => {
  const environment = { SVC_OPERATOR_TOKEN: 'x' }
  const ran = await svc(['--url', `http://127.0.0.1:1${rest}`, 'status'], { environment })
  const told = 'svc: --url: leave out what stands behind http://127.0.0.1:1\n'
  expect([ran.code, ran.err]).toEqual([2, told])
  const bare = await svc(['--url', 'http://127.0.0.1:1/', 'status'], { environment })
  expect(bare.code).toBe(6)
})

test.each(['ключ', 'a\nb', '\u0001', 'é'])(
  'an idempotency key that is no header: %j',
  async (key) => {
    const words = ['account', 'open', '--name', 'x', '--idempotency-key', key]
    const ran = await svc(['--url', 'http://127.0.0.1:1', ...words], {
      environment: { SVC_OPERATOR_TOKEN: 'x' },
    })
    expect(ran.code).toBe(2)
    expect(ran.err).toMatch(/^svc: --idempotency-key: must be 1 to 255 printable ASCII/m)
  },
)

test.each(['secret\nsecret', 'sëcret', '\u200bsecret'])(
  'what cannot be a token, %j, is not printed',
  async (token) => {
    const ran = await svc(['--url', 'http://127.0.0.1:1', 'status'], {
      environment: { SVC_OPERATOR_TOKEN: token },
    })
    expect([ran.code, ran.out]).toEqual([2, ''])
    expect(ran.err).toContain('SVC_OPERATOR_TOKEN holds')
    expect(ran.err).not.toContain(token)
    expect(ran.err).not.toContain('secret')
  },
)

test('a URL and a folder are two places', async () => {
  const ran = await svc(['--url', 'http://127.0.0.1:1', '--data-dir', 'data', 'status'])
  expect(ran.code).toBe(2)
  expect(ran.err).toContain('cannot be used with')
})

test('the token that a URL needs is printed for who may read the folder', async () => {
  const { path } = await folderWithHistory()
  const { code, out } = await svc(['--data-dir', path, 'operator-token'])
  expect(code).toBe(0)
  expect(out).toMatch(/^[0-9a-f]{64}\n$/)
  const json = JSON.parse((await svc(['--data-dir', path, 'operator-token', '--json'])).out)
  expect(json).toEqual({ schema: 'svc.operator-token/2', operator_token: out.trim() })
  expect((await svc(['--data-dir', temporaryFolder(), 'operator-token'])).code).toBe(3)
})

test('that token is not printed for a URL, whose server has another', async () => {
  const { path } = await folderWithHistory()
  const ran = await svc(['operator-token', '--url', 'http://127.0.0.1:1'], {
    environment: { SVC_DATA_DIR: path },
  })
  expect([ran.code, ran.out]).toEqual([2, ''])
  expect(ran.err).toContain('leave --url out')
})

test('a server that does not answer cannot be reached', async () => {
  const ran = await svc(['--url', 'http://127.0.0.1:1', 'status'], {
    environment: { SVC_OPERATOR_TOKEN: 'x' },
  })
  expect(ran.code).toBe(6)
  expect(ran.err).toMatch(/cannot reach the service at http:..127.0.0.1:1.*: check that it runs/)
})

test('who asks by https for a server without TLS is told so, and what http would do', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ran = await svc(['--url', url, 'status'], { environment: { SVC_OPERATOR_TOKEN: 'x' } })
  expect(ran.code).toBe(6)
  expect(ran.err).toContain(
    `cannot reach the service at ${url}: it speaks no TLS, and http:// would send the token readable`,
  )
})

test('a folder that another process holds is a conflict', async () => {
  const { path } = await folderWithHistory()
  const holder = openSqliteEventStore(join(path, 'ledger.db'), { onFatal: () => {} })
  const ran = await svc(['--data-dir', path, 'status'])
  await holder.close()
  expect(ran.code).toBe(5)
  expect(ran.err).toContain('another process holds')
})

test('a ledger that is no database cannot be used', async () => {
  const { path } = await folderWithHistory()
  writeFileSync(join(path, 'ledger.db'), 'no database'.repeat(1000))
  const ran = await svc(['--data-dir', path, 'status'])
  expect(ran.code).toBe(6)
  expect(ran.err.trim().split('\n')).toHaveLength(1)
})

test.each(['status', 'verify', 'backup'])(
  'a server that is gone in the middle of its answer to %s found no difference',
  async (command) => {
    const server = createServer((_request, response) => {
      response.writeHead(200).write('{"type":"progress",')
      setTimeout(() => response.destroy(), 20)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const environment = { SVC_OPERATOR_TOKEN: 'x' }
    const ran = await svc(['--url', origin, command], { environment })
    expect(ran.err).toContain(`svc: the answer of ${origin} was cut off`)
    expect(ran.code).toBe(6)
  },
)

test('a server whose secrets are gone is not waited for', async () => {
  const { path } = await folderWithHistory()
  const folder = new DataFolder(path)
  const store = openSqliteEventStore(folder.ledgerFile, { onFatal: () => {} })
  onTestFinished(() => store.close())
  const baseUrl = 'http://127.0.0.1:1'
  folder.writeServer({ pid: process.pid, baseUrl, startedAt: new Date().toISOString() })
  rmSync(join(path, 'secrets.json'))
  const { code, err } = await svc(['--data-dir', path, 'account', 'list'])
  expect(err).toMatch(/secrets\.json, by which svc would know it, is gone: put it back, or stop/)
  expect(code).toBe(5)
})
