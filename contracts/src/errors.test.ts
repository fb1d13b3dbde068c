import { describe, expect, test } from 'vitest'
import { type ErrorCode, type ErrorEntry, errorCatalogue, ServiceError } from './errors.ts'

const entries = Object.entries(errorCatalogue) as readonly (readonly [ErrorCode, ErrorEntry])[]

/** The types that the official clients of each format know. */
const openaiTypes = ['invalid_request_error', 'insufficient_quota', 'requests', 'server_error']
const anthropicTypes = [
  'invalid_request_error',
  'authentication_error',
  'billing_error',
  'permission_error',
  'not_found_error',
  'conflict_error',
  'request_too_large',
  'rate_limit_error',
  'api_error',
  'overloaded_error',
  'timeout_error',
]

describe.each(entries)('%s', (code, entry) => {
  test('has a stable name, an error status and types that clients know', () => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(entry.status).toBeGreaterThanOrEqual(400)
    expect(entry.status).toBeLessThan(600)
    expect(openaiTypes).toContain(entry.openaiType)
    expect(anthropicTypes).toContain(entry.anthropicType)
  })

  test('blames the server exactly when the server is at fault', () => {
    expect(entry.openaiType === 'server_error').toBe(entry.status >= 500)
  })

  test('is explained in one sentence that fits a table cell', () => {
    expect(entry.doc).toMatch(/^[A-Z].*\.$/)
    expect(entry.doc).not.toMatch(/[|\n]/)
  })
})

test('nobody is told to retry with an empty balance or a bad key', () => {
  // `balance_in_use` is 402 too, but that balance is not empty.
  const final = entries.filter(
    ([code, { status }]) => [401, 402, 403].includes(status) && code !== 'balance_in_use',
  )
  expect(final.map(([, { retry }]) => retry)).not.toContain(true)
  expect(final.length).toBeGreaterThan(0)
})

test('an unknown model is 400, an empty balance 402', () => {
  expect(errorCatalogue.model_not_found.status).toBe(400)
  expect(errorCatalogue.insufficient_quota.status).toBe(402)
})

test('an error carries its entry, and null where it names no field', () => {
  const cause = new Error('inside')
  const error = new ServiceError('store_unavailable', 'try again', { retryAfterSeconds: 2, cause })
  expect(error).toMatchObject({
    code: 'store_unavailable',
    message: 'try again',
    param: null,
    retryAfterSeconds: 2,
    cause,
    entry: errorCatalogue.store_unavailable,
  })
  expect(new ServiceError('invalid_value', 'no', { param: 'top_p' }).param).toBe('top_p')
})
