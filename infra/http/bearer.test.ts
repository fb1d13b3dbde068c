import { expect, test } from 'vitest'
import { bearsSecret } from './bearer.ts'

const SECRET = 'a secret of the operator'

test.each([`Bearer ${SECRET}`, `bearer ${SECRET}`])('is borne by %s', (authorization) => {
  expect(bearsSecret(authorization, SECRET)).toBe(true)
})

test.each([undefined, '', 'Bearer', `Basic ${SECRET}`, SECRET, `Bearer ${SECRET}.`, 'Bearer a'])(
  'is not borne by %s',
  (authorization) => expect(bearsSecret(authorization, SECRET)).toBe(false),
)
