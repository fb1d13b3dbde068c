/** `svc admin-token`, on the folder of a stopped server and against a running one. */
import { openDataFolder } from '@svc/server/open-data-folder'
import { startAdminServer } from '@svc/testing/admin-server'
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { expect, onTestFinished, test } from 'vitest'

const EXPIRES = '2999-01-01'

test('a token is made, listed without its secret, and ended', async () => {
  const { path } = await folderWithHistory()
  const run = (...args: string[]) => svc(['--data-dir', path, ...args])
  const create = ['admin-token', 'create', '--role', 'auditor', '--name', 'finance']
  const made = JSON.parse((await run('--json', ...create, '--expires', EXPIRES)).out)
  expect(made).toEqual({
    schema: 'svc.admin-token-created/1',
    token_id: expect.stringMatching(/^tok_/),
    secret: expect.stringMatching(/^svc-admin-/),
    created: true,
  })
  const list = await run('admin-token', 'list')
  expect(list.out).toMatch(/finance +auditor +….{4} +active/)
  expect(list.out).not.toContain(made.secret)
  const again = await run(...create)
  expect([again.code, again.err]).toEqual([5, expect.stringContaining(made.token_id)])
  expect((await run('admin-token', 'revoke', made.token_id)).code).toBe(2)
  const revoke = ['admin-token', 'revoke', made.token_id, '--yes']
  expect((await run(...revoke)).err).toContain('revoked; see it with')
  expect((await run(...revoke)).err).toContain('was revoked already, since 20')
  const { tokens } = JSON.parse((await run('--json', 'admin-token', 'list')).out)
  expect(tokens).toMatchObject([
    { name: 'finance', role: 'auditor', status: 'revoked', created_by: 'operator' },
  ])
})

test.each([
  ['no role', ['--name', 'x']],
  ['a role that is none', ['--name', 'x', '--role', 'root']],
  ['no name', ['--role', 'owner']],
  ["a person's name", ['--role', 'owner', '--name', 'Ada Lovelace']],
  ['an end that is past', ['--role', 'owner', '--name', 'x', '--expires', '2020-01-01']],
])('%s makes no token', async (_what, options) => {
  const { path } = await folderWithHistory()
  const ran = await svc(['--data-dir', path, '--quiet', 'admin-token', 'create', ...options])
  expect([ran.code, ran.out]).toEqual([2, ''])
  const { out } = await svc(['--data-dir', path, '--json', 'admin-token', 'list'])
  expect(JSON.parse(out).tokens).toEqual([])
})

test('a server that refuses a token ends svc with 4', async () => {
  const { path } = await folderWithHistory()
  const opened = await openDataFolder(path)
  onTestFinished(() => opened.close())
  const { operations } = opened
  const { baseUrl, close } = await startAdminServer({ operations, operatorToken: 'the root token' })
  onTestFinished(close)
  const environment = { SVC_OPERATOR_TOKEN: `svc-admin-${'0'.repeat(26)}-${'0'.repeat(38)}` }
  const ran = await svc(['--url', baseUrl, 'status'], { environment })
  const refusal =
    'svc: the server refuses the token in SVC_OPERATOR_TOKEN: it is wrong, expired or revoked\n'
  expect([ran.code, ran.err]).toEqual([4, expect.stringContaining(refusal)])
})
