import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeAdminSecret, tokenOfSecret } from './admin/access/admin-token.ts'
import { accountOfSecret, makeSecret } from './api-key.ts'
import { hashSecret, lastFour, SECRET_RANDOM_BYTES } from './checked-secret.ts'
import { ID_RANDOM_BYTES, makeId } from './ids.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const accountId = fc
  .tuple(fc.nat({ max: 2 ** 48 - 1 }), bytes(ID_RANDOM_BYTES))
  .map(([timeMs, random]) => makeId('acct', timeMs, random))
const secretAndAccount = fc
  .tuple(accountId, bytes(SECRET_RANDOM_BYTES))
  .map(([account, random]) => ({ account, secret: makeSecret(account, random) }))

/** Printable characters: all that a person can mistype. */
const character = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 })
const EXAMPLE_ACCOUNT = `acct_${'0'.repeat(26)}`
const EXAMPLE = makeSecret(EXAMPLE_ACCOUNT, new Uint8Array(SECRET_RANDOM_BYTES))

describe('the secret of an API key', () => {
  test('names its account', () => {
    fc.assert(
      fc.property(secretAndAccount, ({ account, secret }) => {
        expect(secret).toMatch(/^sk-svc-[0-9a-z]{26}-[0-9A-Za-z]{38}$/)
        expect(accountOfSecret(secret)).toBe(account)
      }),
    )
  })

  test('is the same for the same bytes in every version: what was given out goes on', () => {
    const random = Uint8Array.from({ length: SECRET_RANDOM_BYTES }, (_, index) => index * 7)
    expect(makeSecret(EXAMPLE_ACCOUNT, random)).toBe(
      'sk-svc-00000000000000000000000000-dNY3HDtZO7J5Q3pkPl8lVNOeMK51KPKAqGeH7g',
    )
  })

  test('with any one character changed names nobody', () => {
    fc.assert(
      fc.property(secretAndAccount, fc.nat(), character, ({ secret }, place, changed) => {
        const index = place % secret.length
        fc.pre(secret.charAt(index) !== changed)
        const mistyped = secret.slice(0, index) + changed + secret.slice(index + 1)
        expect(accountOfSecret(mistyped)).toBeUndefined()
      }),
      { numRuns: 1000 },
    )
  })

  test('with a character lost, doubled or two swapped names nobody', () => {
    fc.assert(
      fc.property(secretAndAccount, fc.nat(), ({ secret }, place) => {
        const i = place % (secret.length - 1)
        const [first, second] = [secret.charAt(i), secret.charAt(i + 1)]
        const before = secret.slice(0, i)
        const after = secret.slice(i + 2)
        expect(accountOfSecret(before + second + after)).toBeUndefined()
        expect(accountOfSecret(before + first + first + second + after)).toBeUndefined()
        fc.pre(first !== second)
        expect(accountOfSecret(before + second + first + after)).toBeUndefined()
      }),
    )
  })

  test.each(['', ' ', 'sk-svc-', `${EXAMPLE} `, `${EXAMPLE}\n`, `Bearer ${EXAMPLE}`])(
    '%j names nobody',
    (text) => {
      expect(accountOfSecret(text)).toBeUndefined()
    },
  )

  test('differs when any random bit differs', () => {
    fc.assert(
      fc.property(bytes(SECRET_RANDOM_BYTES), fc.nat({ max: 255 }), (random, bit) => {
        const other = Uint8Array.from(random)
        const index = Math.floor(bit / 8)
        other[index] = (other[index] ?? 0) ^ (1 << (bit % 8))
        expect(makeSecret(EXAMPLE_ACCOUNT, other)).not.toBe(makeSecret(EXAMPLE_ACCOUNT, random))
      }),
    )
  })

  test('is never the secret of an admin token, nor the other way round', () => {
    const body = EXAMPLE_ACCOUNT.slice('acct_'.length)
    const secret = makeAdminSecret(`tok_${body}`, new Uint8Array(SECRET_RANDOM_BYTES))
    expect(tokenOfSecret(secret)).toBe(`tok_${body}`)
    expect(accountOfSecret(secret)).toBeUndefined()
    expect(tokenOfSecret(EXAMPLE)).toBeUndefined()
    expect(tokenOfSecret(secret.replace('svc-admin-', 'sk-svc-'))).toBeUndefined()
    expect(accountOfSecret(secret.replace('svc-admin-', 'sk-svc-'))).toBeUndefined()
    expect(tokenOfSecret(`${secret.slice(0, -1)}${secret.endsWith('a') ? 'b' : 'a'}`)).toBe(
      undefined,
    )
  })

  test('cannot be made of too few random bytes', () => {
    expect(() => makeSecret(EXAMPLE_ACCOUNT, new Uint8Array(31))).toThrow(RangeError)
  })

  test('is stored as its SHA-256 and shown as its last four characters', () => {
    expect(hashSecret('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
    expect(lastFour(EXAMPLE)).toBe(EXAMPLE.slice(-4))
  })
})
