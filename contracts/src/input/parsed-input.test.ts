import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { givenFields, parsedRequest } from './parsed-input.ts'
import { queryNumber } from './query-number.ts'

const input = z.strictObject({ account_id: z.string(), limit: queryNumber(z.int()).optional() })

describe('the input of a request', () => {
  test('is its path and its query when the operation only reads', () => {
    const request = {
      headers: {},
      params: { account_id: 'a1' },
      query: { limit: '5' },
      body: undefined,
    }
    expect(parsedRequest({ method: 'GET', input }, request)).toEqual({ account_id: 'a1', limit: 5 })
  })

  test('is its path and its body when the operation changes something', () => {
    const request = { headers: {}, params: { account_id: 'a1' }, query: {}, body: { limit: 7 } }
    expect(parsedRequest({ method: 'POST', input }, request)).toEqual({
      account_id: 'a1',
      limit: 7,
    })
  })

  test('has no field in the query when the operation changes something', () => {
    const request = {
      headers: {},
      params: { account_id: 'a1' },
      query: { limit: '5' },
      body: { limit: 7 },
    }
    expect(() => parsedRequest({ method: 'POST', input }, request)).toThrow(
      'limit: belongs in the body: this request takes no query',
    )
  })

  test('has no field in the body when the operation only reads', () => {
    const headers = { 'content-length': '11' }
    const request = { headers, params: {}, query: { account_id: 'a1' }, body: undefined }
    expect(() => parsedRequest({ method: 'GET', input }, request)).toThrow(
      'The fields of a GET belong in the query',
    )
    const empty = { ...request, headers: { 'content-length': '0' } }
    expect(parsedRequest({ method: 'GET', input }, empty)).toEqual({ account_id: 'a1' })
  })

  test('needs neither a body nor a query', () => {
    const request = { headers: {}, params: { account_id: 'a1' }, query: null, body: undefined }
    expect(givenFields({ method: 'POST' }, request)).toEqual({ account_id: 'a1' })
    expect(givenFields({ method: 'GET' }, request)).toEqual({ account_id: 'a1' })
  })

  test('takes from the body nothing that the path has said', () => {
    const request = {
      headers: {},
      params: { account_id: 'a1' },
      query: {},
      body: { account_id: 'a2' },
    }
    expect(parsedRequest({ method: 'POST', input }, request).account_id).toBe('a1')
  })
})

test('a field that stands in a query twice is named', () => {
  const request = { headers: {}, params: {}, query: { account_id: ['a1', 'a2'] }, body: undefined }
  expect(() => givenFields({ method: 'GET' }, request)).toThrow(
    'account_id: may be given once only',
  )
})
