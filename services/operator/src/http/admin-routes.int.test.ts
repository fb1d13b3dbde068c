/** The operator's HTTP interface, as a client without our code sees it. */
import { adminOperations, type Operations } from '@svc/contracts/admin/operations'
import { startAdminServer } from '@svc/testing/admin-server'
import { fillLog, folderWithHistory } from '@svc/testing/data-folders'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  collect,
  localOperations,
  OPERATOR_TOKEN,
  openOperations,
  remoteAt,
  serveOperations,
} from '../../testing/operations.ts'
import { isServerProof } from './server-proof.ts'

describe('a long question over the admin routes', () => {
  test('is answered with signs of life from the start, before there is a result', async () => {
    const { operations } = await localOperations()
    const silent: Operations = {
      ...operations,
      async *verify() {
        await new Promise(() => {})
        yield* operations.verify({})
      },
    }
    const baseUrl = await serveOperations(silent)
    const answer = await fetch(`${baseUrl}/admin/v1/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      body: '{}',
    })
    const first = await answer.body?.getReader().read()
    expect(new TextDecoder().decode(first?.value)).toBe('\n')
  })

  test('has progress on the way, and one result as its last line', async () => {
    const { path } = await folderWithHistory()
    await fillLog(path, 5_000)
    const remote = remoteAt(await serveOperations(await openOperations(path)))
    const lines = await collect(remote.verify({}))
    expect(lines.at(-1)).toMatchObject({ type: 'result', events: 5_012, broken: [] })
    expect(lines.slice(0, -1).length).toBeGreaterThan(0)
    for (const line of lines.slice(0, -1)) {
      expect(line).toMatchObject({ type: 'progress', head: '5011', rate: expect.any(Number) })
    }
  })
})

describe('the admin routes', () => {
  test('serve every operation that is declared', async () => {
    const baseUrl = await serveOperations((await localOperations()).operations)
    for (const [name, { method, path }] of Object.entries(adminOperations)) {
      const url = `${baseUrl}/admin/v1${path.replace(/:\w+/g, 'x')}?unknown=1`
      const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
      const answer = await fetch(url, { method, headers })
      if (method === 'GET') expect([name, answer.status]).toEqual([name, 400])
      // The framework answers in its own shape where there is no such route.
      else expect(await answer.text(), name).not.toContain('"Not Found"')
    }
  })

  const authorization = `Bearer ${OPERATOR_TOKEN}`

  test.each(['.', '..'])('a key named %s is not its account', async (name) => {
    const { path, account } = await folderWithHistory()
    const remote = remoteAt(await serveOperations(await openOperations(path)))
    const { accountId: account_id } = account
    const before = await remote.showAccount({ account_id })
    const asked = { account_id, key_id: name, name: 'another', reason: 'typed wrongly' }
    const refusal = { code: 'not_found', message: `There is nothing named "${name}".` }
    await expect(remote.renameKey(asked)).rejects.toMatchObject(refusal)
    await expect(remote.showAccount({ account_id: name })).rejects.toMatchObject(refusal)
    expect(await remote.showAccount({ account_id })).toEqual(before)
  })

  test('a HEAD begins no long work', async () => {
    const { operations } = await localOperations()
    const baseUrl = await serveOperations(operations)
    const long = Object.values(adminOperations).filter(
      ({ answer, method }) => answer !== 'json' && method === 'GET',
    )
    expect(long.length).toBeGreaterThan(0)
    for (const { path } of long) {
      const url = `${baseUrl}/admin/v1${path.replace(/:\w+/g, 'x')}`
      const answer = await fetch(url, { method: 'HEAD', headers: { authorization } })
      // Unknown, or what another question takes for an id that is none.
      expect([404, 400], path).toContain(answer.status)
    }
  })

  test.each([
    ['a key that is there twice', '{"amount":"5","amount":"5000"}'],
    ['a key that is there twice, escaped', '{"amount":"5","\\u0061mount":"5000"}'],
    ['half a surrogate pair', '{"reason":"\\ud800"}'],
    ['a list', '[]'],
  ])('read %s as no JSON', async (_name, body) => {
    const { operations } = await localOperations()
    const baseUrl = await serveOperations(operations)
    const answer = await fetch(`${baseUrl}/admin/v1/accounts/acct_x/grants`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body,
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { code: 'invalid_json' } })
  })

  test.each([
    ['GET', '/accounts', undefined, 'limit'],
    ['GET', '/events?after=5', undefined, 'limit'],
    ['POST', '/accounts', { name: 'Ada' }, 'spend_policy'],
    ['POST', '/accounts/acct_x/grants', { amount: '5', category: 'paid' }, 'priority'],
  ])('name the field that a %s of %s lacks', async (method, path, given, param) => {
    const baseUrl = await serveOperations((await localOperations()).operations)
    const answer = await fetch(`${baseUrl}/admin/v1${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(given === undefined ? {} : { body: JSON.stringify(given) }),
    })
    expect(answer.status).toBe(400)
    const error = { code: 'missing_required_parameter', param, message: `${param}: is missing` }
    expect(await answer.json()).toMatchObject({ error })
  })

  test.each([`${2n ** 63n}`, '9'.repeat(20), '-2', '1e3', ''])(
    'take no position %j',
    async (after) => {
      const baseUrl = await serveOperations((await localOperations()).operations)
      const url = `${baseUrl}/admin/v1/events?limit=1&after=${after}`
      const answer = await fetch(url, { headers: { authorization } })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({ error: { param: 'after' } })
    },
  )

  test.each(['-1', '0', `${2n ** 63n - 1n}`])('take the position %s', async (after) => {
    const baseUrl = await serveOperations((await localOperations()).operations)
    const url = `${baseUrl}/admin/v1/events?limit=1&after=${after}`
    expect((await fetch(url, { headers: { authorization } })).status).toBe(200)
  })

  test('prove to whoever asks that they have the token, for one nonce and one address', async () => {
    const { operations } = await localOperations()
    const baseUrl = 'http://127.0.0.1:8080'
    const server = await startAdminServer({
      operations,
      operatorToken: OPERATOR_TOKEN,
      address: () => baseUrl,
    })
    onTestFinished(() => server.close())
    const identity = (nonce: string) => fetch(`${server.baseUrl}/admin/v1/identity?nonce=${nonce}`)
    const nonce = 'a'.repeat(64)
    const { proof } = (await (await identity(nonce)).json()) as { proof: string }
    expect(isServerProof(proof, OPERATOR_TOKEN, baseUrl, nonce)).toBe(true)
    expect(isServerProof(proof, OPERATOR_TOKEN, baseUrl, 'b'.repeat(64))).toBe(false)
    expect(isServerProof(proof, OPERATOR_TOKEN, 'http://127.0.0.1:8081', nonce)).toBe(false)
    expect(isServerProof(proof, 'another token', baseUrl, nonce)).toBe(false)
    for (const bad of ['', 'a', 'A'.repeat(64), 'a'.repeat(65)]) {
      expect((await identity(bad)).status).toBe(400)
    }
  })

  test('take any number of spaces behind the scheme, as those of customers do', async () => {
    const baseUrl = await serveOperations((await localOperations()).operations)
    const headers = { authorization: `bearer   ${OPERATOR_TOKEN}` }
    const answer = await fetch(`${baseUrl}/admin/v1/accounts?limit=1`, { headers })
    expect(answer.status).toBe(200)
  })

  test.each([undefined, 'Bearer wrong', `Basic ${OPERATOR_TOKEN}`, OPERATOR_TOKEN])(
    'refuse %s',
    async (header) => {
      const baseUrl = await serveOperations((await localOperations()).operations)
      const headers = header === undefined ? {} : { authorization: header }
      const answer = await fetch(`${baseUrl}/admin/v1/accounts?limit=1`, { headers })
      expect(answer.status).toBe(401)
      expect(await answer.json()).toEqual({
        error: {
          message:
            'The admin token is missing, wrong, expired or revoked. ' +
            'Send one as "Authorization: Bearer svc-admin-…".',
          type: 'invalid_request_error',
          param: null,
          code: 'invalid_api_key',
        },
      })
    },
  )

  test.each([
    ['/accounts', undefined, 'limit'],
    ['/accounts?limit=0', undefined, 'limit'],
    ['/accounts?limit=0x10', undefined, 'limit'],
    ['/accounts/acct_x/statement?limit=5&after=', undefined, 'after'],
    ['/events?limit=5&after=x', undefined, 'after'],
    ['/accounts', '{"name":"x","spend_policy":"loose"}', 'spend_policy'],
    ['/accounts', '{"name":"","spend_policy":"strict"}', 'name'],
    ['/accounts/acct_x/adjustments?dry_run=true', '{"amount":"1","reason":"x"}', 'dry_run'],
    ['/accounts?name=x', '{"name":"x","spend_policy":"strict"}', 'name'],
    ['/accounts', '[]', null],
    ['/accounts', '{', null],
    ['/accounts', '{"name":"x","spend_policy":"strict","balance":"5"}', 'balance'],
  ])('refuse %s %s, naming %s', async (path, body, param) => {
    const baseUrl = await serveOperations((await localOperations()).operations)
    const answer = await fetch(`${baseUrl}/admin/v1${path}`, {
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body }),
    })
    expect(answer.status).toBe(400)
    const { error } = (await answer.json()) as { error: { param: unknown } }
    expect(Object.keys(error).toSorted()).toEqual(['code', 'message', 'param', 'type'])
    expect(error.param).toBe(param)
  })
})
