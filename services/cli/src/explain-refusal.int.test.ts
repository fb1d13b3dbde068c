/** `svc explain` of a request that was refused. */
import type { RefusedRequest } from '@svc/contracts/ports/refused-requests'
import { folderWithHistory } from '@svc/testing/data-folders'
import { refusedRequestsIn } from '@svc/testing/refused-requests'
import { svc } from '@svc/testing/run-svc'
import { expect, test } from 'vitest'

const forged: RefusedRequest = {
  requestId: 'req_forged',
  at: Date.now(),
  accountId: null,
  keyId: null,
  format: 'chat',
  model: null,
  status: 401,
  code: 'invalid_api_key',
  message: 'No valid API key was given.',
}
const broke: RefusedRequest = {
  ...forged,
  requestId: 'req_broke',
  accountId: 'acct_1',
  keyId: 'key_1',
  model: 'svc-beta',
  status: 402,
  code: 'insufficient_quota',
  message: 'Needed 2 USD, available 1 USD.',
}

async function folderWithRefusals(): Promise<string> {
  const { path } = await folderWithHistory()
  const refused = refusedRequestsIn(path)
  refused.note(forged)
  refused.note(broke)
  refused.close()
  return path
}

test('says why, and that nothing was charged', async () => {
  const path = await folderWithRefusals()
  const { code, out } = await svc(['--data-dir', path, 'explain', 'req_broke'])
  expect(code).toBe(0)
  expect(out).toMatch(/account +acct_1\nkey +key_1\n/)
  expect(out).toContain('refused with 402 insufficient_quota; nothing was charged')
  expect(out).toContain('Needed 2 USD, available 1 USD.')
  const nobody = await svc(['--data-dir', path, 'explain', 'req_forged'])
  expect(nobody.out).toMatch(/account +none: it came without a valid key/)
})

test('as JSON has the shape that it names', async () => {
  const path = await folderWithRefusals()
  const { out } = await svc(['--data-dir', path, '--json', 'explain', 'req_broke'])
  expect(JSON.parse(out)).toEqual({
    schema: 'svc.refused-request/1',
    id: 'req_broke',
    refused_at: new Date(broke.at).toISOString(),
    account_id: 'acct_1',
    key_id: 'key_1',
    format: 'chat',
    model: 'svc-beta',
    status: 402,
    code: 'insufficient_quota',
    message: broke.message,
    meaning: expect.any(String),
  })
})

test('of neither kind is not found', async () => {
  const path = await folderWithRefusals()
  const { code, err } = await svc(['--data-dir', path, '--quiet', 'explain', 'req_none'])
  expect([code, err]).toEqual([3, expect.stringContaining('There is no request req_none, and')])
})
