import { expect, test } from 'vitest'
import { reasonOf } from './server-failure.ts'

test('the reason is one line, without what grpc-js says of itself', () => {
  const said =
    '14 UNAVAILABLE: No connection established. Last error: Error: connect ECONNREFUSED ' +
    '127.0.0.1:2113.\n Resolution note: '
  expect(reasonOf(new Error(said))).toBe(
    '14 UNAVAILABLE: No connection established. Last error: Error: connect ECONNREFUSED ' +
      '127.0.0.1:2113',
  )
})
