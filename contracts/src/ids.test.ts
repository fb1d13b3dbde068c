import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  eventId,
  ID_RANDOM_BYTES,
  idBody,
  idKinds,
  idTimeMs,
  isId,
  makeDerivedId,
  makeId,
  requestIdOf,
} from './ids.ts'

const kind = fc.constantFrom(...idKinds)
const timeMs = fc.nat({ max: 2 ** 48 - 1 })
const random = fc.uint8Array({ minLength: ID_RANDOM_BYTES, maxLength: ID_RANDOM_BYTES })
const anyId = fc.tuple(kind, timeMs, random).map(([ofKind, at, bytes]) => makeId(ofKind, at, bytes))

const UUID_VERSION_8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('an id', () => {
  test('is its kind and 26 characters, and tells when it was made', () => {
    fc.assert(
      fc.property(kind, timeMs, random, (ofKind, at, bytes) => {
        const id = makeId(ofKind, at, bytes)
        expect(id).toMatch(/^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/)
        expect(isId(ofKind, id)).toBe(true)
        expect(idTimeMs(id)).toBe(at)
      }),
    )
  })

  test('sorts by the time of its making', () => {
    fc.assert(
      fc.property(kind, timeMs, timeMs, random, random, (ofKind, a, b, first, second) => {
        fc.pre(a < b)
        expect(makeId(ofKind, a, first) < makeId(ofKind, b, second)).toBe(true)
      }),
    )
  })

  test('ends with its random bits, the first first, five in each character', () => {
    const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
    fc.assert(
      fc.property(timeMs, random, (at, bytes) => {
        const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
        const fives = bits.match(/.{5}/g) ?? []
        const characters = fives.map((five) => alphabet.charAt(Number.parseInt(five, 2)))
        expect(makeId('req', at, bytes).slice(-characters.length)).toBe(characters.join(''))
      }),
    )
  })

  test('differs when any random bit differs', () => {
    fc.assert(
      fc.property(timeMs, random, fc.nat({ max: ID_RANDOM_BYTES * 8 - 1 }), (at, bytes, bit) => {
        const other = Uint8Array.from(bytes)
        const index = Math.floor(bit / 8)
        other[index] = (other[index] ?? 0) ^ (1 << (bit % 8))
        expect(makeId('req', at, other)).not.toBe(makeId('req', at, bytes))
      }),
    )
  })

  test('is of no other kind', () => {
    fc.assert(
      fc.property(anyId, (id) => {
        expect(idKinds.filter((ofKind) => isId(ofKind, id))).toHaveLength(1)
      }),
    )
  })

  test.each([
    '',
    'req_',
    `req_${'i'.repeat(26)}`,
    `req_${'0'.repeat(25)}`,
    `req_${'0'.repeat(27)}`,
  ])('%j is none', (text) => {
    expect(isId('req', text)).toBe(false)
  })

  test.each([-1, 0.5, Number.NaN, 2 ** 48])('cannot be made at the time %s', (at) => {
    expect(() => makeId('req', at, new Uint8Array(ID_RANDOM_BYTES))).toThrow(RangeError)
  })

  test('cannot be made of too few random bytes', () => {
    expect(() => makeId('req', 0, new Uint8Array(ID_RANDOM_BYTES - 1))).toThrow(RangeError)
  })
})

describe('the request behind an id', () => {
  const body = idBody(makeId('req', 0, new Uint8Array(ID_RANDOM_BYTES)))

  test.each([
    ...['req_', 'chatcmpl-', 'resp_', 'msg_'].map((prefix) => prefix + body),
    ...['call', 'toolu', 'fc', 'rs', 'ctco', 'msg'].map((part) => `${part}_${body}_12`),
    `msg_${body}_i0`,
  ])('is told from %s', (id) => {
    expect(requestIdOf(id)).toBe(`req_${body}`)
  })

  test.each(['req_1', `acct_${body}`, `call_${body}`, `chatcmpl-${body}_0`, `call_${body}_x`])(
    'is not told from %s',
    (id) => {
      expect(requestIdOf(id)).toBeUndefined()
    },
  )
})

describe('a derived id', () => {
  test('is the same for the same words', () => {
    fc.assert(
      fc.property(kind, timeMs, fc.array(fc.string()), (ofKind, at, words) => {
        const id = makeDerivedId(ofKind, at, ...words)
        expect(isId(ofKind, id)).toBe(true)
        expect(makeDerivedId(ofKind, at, ...words)).toBe(id)
      }),
    )
  })

  test('stays what it was when it was first stored', () => {
    expect(makeDerivedId('grant', 0, 'acct_1', 'payment-17')).toBe(
      'grant_0000000000s7keenzcv9vzz3wc',
    )
  })

  test('differs when the words are cut differently', () => {
    expect(makeDerivedId('grant', 0, 'ab', 'c')).not.toBe(makeDerivedId('grant', 0, 'a', 'bc'))
  })
})

describe('the id of an event', () => {
  test('is a UUID of version 8 that begins with the time of its cause', () => {
    fc.assert(
      fc.property(anyId, fc.string(), (cause, step) => {
        const id = eventId(cause, step)
        expect(id).toMatch(UUID_VERSION_8)
        expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(idTimeMs(cause))
        expect(eventId(cause, step)).toBe(id)
      }),
    )
  })

  test('differs by cause and by step', () => {
    fc.assert(
      fc.property(anyId, anyId, fc.string(), fc.string(), (cause, other, step, next) => {
        fc.pre(idBody(cause) !== idBody(other) && step !== next)
        expect(eventId(cause, step)).not.toBe(eventId(other, step))
        expect(eventId(cause, step)).not.toBe(eventId(cause, next))
      }),
    )
  })

  test('stays what it was when it was first stored', () => {
    expect(eventId(`req_${'0'.repeat(26)}`, 'CreditDebited')).toBe(
      '00000000-0000-88d3-8d75-99ad4228fe2a',
    )
  })
})
