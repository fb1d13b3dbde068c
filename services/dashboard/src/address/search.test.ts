import { expect, test } from 'vitest'
import { keysSearch, requestsSearch, statementSearch, usageSearch } from './search.ts'

test('what stands in an address is taken back: UX-30', () => {
  const search = {
    from: '2026-11-01',
    to: '2026-11-30',
    zone: 'Asia/Kathmandu',
    key: 'key_1',
    status: 'failed',
    model: 'svc-beta',
    format: 'chat',
  }
  expect(requestsSearch({ ...search, request: 'req_1' })).toEqual({ ...search, request: 'req_1' })
  expect(usageSearch({ by: 'hour', group: 'model' })).toEqual({ by: 'hour', group: 'model' })
  expect(keysSearch({ create: true })).toEqual({ create: true })
})

test('what an address cannot mean is left out, not guessed', () => {
  expect(
    requestsSearch({ from: 'yesterday', status: 'lost', key: 7, request: '', format: 'x' }),
  ).toEqual({})
  expect(usageSearch({ zone: 'Mars/Phobos' })).toEqual({})
  expect(statementSearch({ from: "2026-11-01'", to: ['2026-11-01'] })).toEqual({})
  expect(statementSearch({ from: '2026-11-02', to: '2026-11-01' })).toEqual({})
  expect(statementSearch({ from: '2026-11-01', to: '2026-99-99' })).toEqual({ from: '2026-11-01' })
  expect(usageSearch({ by: 'second', group: '<script>' })).toEqual({})
  expect(keysSearch({ create: 'true' })).toEqual({})
})

test('an id is cut at the greatest length of one', () => {
  expect(requestsSearch({ request: 'x'.repeat(10_000) }).request).toHaveLength(200)
})
