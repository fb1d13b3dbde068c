/** What a client calls its request counts for nothing: each has an id that the ledger made. */
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { wireFormats } from '@svc/testing/wire-formats'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'

const THEIRS = `req_${'0'.repeat(26)}`
const headers = {
  'x-request-id': THEIRS,
  'request-id': THEIRS,
  'x-client-request-id': THEIRS,
  'x-correlation-id': THEIRS,
}
const fields = { id: THEIRS, request_id: THEIRS, requestId: THEIRS, hold_id: '' }

let fixture: GatewayFixture
beforeEach(async () => {
  fixture = await startGateway({ script: { tokens: 3 } })
})
afterEach(() => fixture[Symbol.asyncDispose]())

test.each(wireFormats)(
  'pitfall 29: $name, requests under one id of the client are as many debits',
  async (format) => {
    const ids: (string | null)[] = []
    for (let sent = 0; sent < 3; sent += 1) {
      const answer = await postTo(fixture, format.paths[0], bodyOf(format, fields), headers)
      expect(answer.status, await answer.text()).toBe(200)
      ids.push(answer.headers.get('x-request-id'))
    }
    expect(new Set(ids).size).toBe(3)
    expect(ids).not.toContain(THEIRS)
    expect(fixture.ledger.debits().map(([requestId]) => requestId)).toEqual(ids)
  },
)
