import { type ErrorCode, errorCatalogue, ServiceError } from '@svc/contracts/errors'
import { describe, expect, test } from 'vitest'
import { refusalHeaders } from './error-response.ts'

describe.each(Object.keys(errorCatalogue) as ErrorCode[])('the headers of %s', (code) => {
  test.each([undefined, 5])('agree with each other and the catalogue, Retry-After %s', (after) => {
    const details = after === undefined ? {} : { retryAfterSeconds: after }
    const headers = refusalHeaders(new ServiceError(code, 'refused', details), 'openai')
    const { retry, status } = errorCatalogue[code]
    const waits = retry && after !== undefined
    expect(headers['retry-after']).toBe(waits ? '5' : undefined)
    const isRetriedUnasked = status > 400
    const word = retry ? (waits ? 'true' : undefined) : isRetriedUnasked ? 'false' : undefined
    expect(headers['x-should-retry']).toBe(word)
  })
})

test('credit that is only held invites a retry, an empty balance does not', () => {
  const details = { retryAfterSeconds: 5 }
  expect(
    refusalHeaders(new ServiceError('balance_in_use', 'held', details), 'openai'),
  ).toMatchObject({
    'retry-after': '5',
    'x-should-retry': 'true',
  })
  expect(
    refusalHeaders(new ServiceError('insufficient_quota', 'empty', details), 'openai'),
  ).toEqual({
    'content-type': 'application/json',
    'x-should-retry': 'false',
  })
})
