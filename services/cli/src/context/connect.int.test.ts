/** Whom the CLI sends the operator's token to. */
import { cpSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { serverProof } from '@svc/operator/http/server-proof'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'

/** Takes the place of a server that was killed: its record says so, and its process id lives. */
async function impostor(
  answer: (token: string, baseUrl: string, request: IncomingMessage) => string,
) {
  const { path } = await folderWithHistory()
  const folder = new DataFolder(path)
  const { operatorToken } = folder.secrets()
  const heard: string[] = []
  let baseUrl = ''
  const listener: RequestListener = (request, response) => {
    heard.push(`${request.url} ${JSON.stringify(request.headers)}`)
    response.end(answer(operatorToken, baseUrl, request))
  }
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  folder.writeServer({ pid: process.pid, baseUrl, startedAt: new Date().toISOString() })
  return { path, operatorToken, heard }
}

const nonceOf = ({ url = '' }: IncomingMessage) =>
  new URL(url, 'http://x').searchParams.get('nonce') ?? ''

test('a copy of a folder is its own: what is asked of it is not asked of the server beside', async () => {
  const proving = (token: string, baseUrl: string, request: IncomingMessage) =>
    JSON.stringify({ proof: serverProof(token, baseUrl, nonceOf(request)) })
  const { path, heard } = await impostor(proving)
  const copy = join(temporaryFolder(), 'copy')
  cpSync(path, copy, { recursive: true })
  const ran = await svc(['--data-dir', copy, 'account', 'list'])
  expect(ran.code, ran.err).toBe(0)
  expect(ran.out).toContain('acct_')
  expect(heard).toEqual([])
  await svc(['--data-dir', path, 'account', 'list'])
  expect(heard).not.toEqual([])
})

test.each<[string, (token: string, baseUrl: string, request: IncomingMessage) => string]>([
  ['says anything', () => '{"status":"alive"}'],
  ['says nothing of use', () => 'x'],
  [
    'answers more than any proof has',
    (token, baseUrl, request) =>
      JSON.stringify({
        proof: serverProof(token, baseUrl, nonceOf(request)),
        rest: 'x'.repeat(5_000),
      }),
  ],
  ['guesses', () => JSON.stringify({ proof: 'f'.repeat(64) })],
  ['sends the nonce back', (_, _url, request) => JSON.stringify({ proof: nonceOf(request) })],
  [
    'passes on the proof of a server at another address',
    (token, _url, request) =>
      JSON.stringify({ proof: serverProof(token, 'http://127.0.0.1:1', nonceOf(request)) }),
  ],
  [
    'has heard an older proof',
    (token, baseUrl) => JSON.stringify({ proof: serverProof(token, baseUrl, '0'.repeat(64)) }),
  ],
])(
  'one that %s never hears the token, and the folder is opened directly',
  async (_what, answer) => {
    const { path, operatorToken, heard } = await impostor(answer)
    const ran = await svc(['--data-dir', path, 'account', 'list'])
    expect(ran.code, ran.err).toBe(0)
    expect(ran.err).toContain('opened it directly')
    expect(heard).toHaveLength(1)
    expect(heard.join()).not.toContain(operatorToken)
  },
)

test('a server that is too busy to answer at once is waited for, because it holds the folder', async () => {
  const { path } = await folderWithHistory()
  const folder = new DataFolder(path)
  const { operatorToken } = folder.secrets()
  const asked: IncomingMessage[] = []
  let baseUrl = ''
  const server = createServer((request, response) => {
    asked.push(request)
    // The first question is never answered.
    if (asked.length === 1) return
    if (request.headers.authorization !== undefined) response.writeHead(503)
    response.end(JSON.stringify({ proof: serverProof(operatorToken, baseUrl, nonceOf(request)) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const holder = openSqliteEventStore(join(path, 'ledger.db'), { onFatal: () => {} })
  onTestFinished(async () => {
    server.close()
    await holder.close()
  })
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  folder.writeServer({ pid: process.pid, baseUrl, startedAt: new Date().toISOString() })
  const ran = await svc(['--data-dir', path, 'account', 'list'])
  expect(ran.err).not.toContain('another process holds')
  // What the server was asked in the end is the list.
  expect(asked.at(-1)?.headers.authorization).toBe(`Bearer ${operatorToken}`)
})
