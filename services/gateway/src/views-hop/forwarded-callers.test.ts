import type { IncomingMessage } from 'node:http'
import type { Position } from '@svc/contracts/ports/event-store'
import { expect, test } from 'vitest'
import { ForwardedCallers } from './forwarded-callers.ts'
import { hopHeaders } from './hop-headers.ts'

const SECRET = 'a secret of gateways and projectors'
const caller = { accountId: 'acct_1', keyId: 'key_1' }
const authorization = `Bearer ${SECRET}`

function callerOf(headers: Record<string, string>, method = 'GET', reached = true) {
  const asked: Position[] = []
  const callers = new ForwardedCallers({
    viewsSecret: SECRET,
    async viewsReached(position) {
      asked.push(position)
      return reached
    },
  })
  const request = { method, headers } as unknown as IncomingMessage
  return callers.callerOf(request).then((found) => ({ found, asked }))
}

test('a gateway tells whose question it is, and what the views must hold', async () => {
  const headers = { ...hopHeaders(caller, 12n), authorization }
  expect(await callerOf(headers)).toEqual({ found: caller, asked: [12n] })
  expect(await callerOf({ ...hopHeaders(caller, undefined), authorization })).toEqual({
    found: caller,
    asked: [],
  })
  expect(await callerOf({ ...hopHeaders(null, undefined), authorization })).toMatchObject({
    found: null,
  })
})

test('nobody else is believed, and nothing but a question is', async () => {
  const headers = hopHeaders(caller, undefined)
  expect(await callerOf(headers)).toMatchObject({ found: undefined })
  for (const wrong of ['Bearer another', SECRET, 'Bearer ', '']) {
    const found = await callerOf({ ...headers, authorization: wrong })
    expect(found).toMatchObject({ found: undefined })
  }
  for (const method of ['POST', 'DELETE', 'PUT']) {
    expect(await callerOf({ ...headers, authorization }, method)).toMatchObject({
      found: undefined,
    })
  }
  for (const name of ['acct_1', 'acct_1/', '/key_1', 'acct_1/key_1/x', 'key_1/acct_1']) {
    const found = await callerOf({ 'svc-caller': name, authorization })
    expect(found).toMatchObject({ found: undefined })
  }
})

test('views that do not get there in time are behind', async () => {
  const headers = { ...hopHeaders(caller, 12n), authorization }
  await expect(callerOf(headers, 'GET', false)).rejects.toMatchObject({ code: 'view_behind' })
})
