import { describe, expect, test } from 'vitest'
import { bearerOf, bearsSecret, plainSecret } from './bearer.ts'

const SECRET = 'a secret of the operator'

describe('what a header bears', () => {
  test.each(['Bearer token', 'bearer token', 'BEARER    token'])('is read from "%s"', (header) =>
    expect(bearerOf(header)).toBe('token'),
  )

  test.each([undefined, '', 'Bearer', 'Bearer ', 'Bearertoken', 'Basic token', 'token'])(
    'is nothing for %s',
    (header) => expect(bearerOf(header)).toBeUndefined(),
  )
})

test.each([`Bearer ${SECRET}`, `bearer ${SECRET}`, `Bearer  ${SECRET}`])(
  'a secret is borne by %s',
  (authorization) => expect(bearsSecret(authorization, SECRET)).toBe(true),
)

test.each([undefined, '', 'Bearer', `Basic ${SECRET}`, SECRET, `Bearer ${SECRET}.`, 'Bearer a'])(
  'a secret is not borne by %s',
  (authorization) => expect(bearsSecret(authorization, SECRET)).toBe(false),
)

test('a secret of ours is short and has no space', () => {
  expect(plainSecret('sk-svc-1')).toBe('sk-svc-1')
  for (const text of ['', 'a b', 'é', 'x'.repeat(257)]) expect(plainSecret(text)).toBeUndefined()
})
