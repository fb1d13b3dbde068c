/** What every {@link TextSeal} keeps to. */
import type { TextSeal } from '@svc/contracts/ports/text-seal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const OWNER = ['acct_1', 'thoughts']

/** @param make a seal under a secret; the same secret makes the same seal */
export function textSealSuite(name: string, make: (secret: string) => TextSeal): void {
  describe(name, () => {
    const seal = make('the secret of the server')

    test('opens what it sealed, and so does another under the same secret', () => {
      const again = make('the secret of the server')
      fc.assert(
        fc.property(fc.string({ unit: 'binary' }), (text) => {
          const sealed = seal.seal(OWNER, text)
          expect(sealed).toMatch(/^[\x21-\x7e]+$/)
          expect(seal.open(OWNER, sealed)).toBe(text.toWellFormed())
          expect(again.open(OWNER, sealed)).toBe(text.toWellFormed())
        }),
      )
    })

    test('shows nothing of the text, and never seals it alike', () => {
      const text = 'the capital of France is Paris'
      const [one, other] = [seal.seal(OWNER, text), seal.seal(OWNER, text)]
      expect(one).not.toBe(other)
      expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('Paris')
    })

    test.each([
      ['account', ['acct_2', 'thoughts']],
      ['kind', ['acct_1', 'summary']],
      ['split of the names', ['acct_1thoughts']],
      ['number of names', ['acct_1', 'thoughts', '']],
    ])('opens nothing for another %s', (_name, owner) => {
      expect(seal.open(owner, seal.seal(OWNER, 'text'))).toBeUndefined()
    })

    test('opens nothing under another secret', () => {
      expect(make('another secret').open(OWNER, seal.seal(OWNER, 'text'))).toBeUndefined()
    })

    test('opens nothing of which one character was changed, added or cut', () => {
      const sealed = seal.seal(OWNER, 'some text')
      for (let at = 0; at < sealed.length; at += 1) {
        const other = sealed[at] === 'A' ? 'B' : 'A'
        const changed = sealed.slice(0, at) + other + sealed.slice(at + 1)
        expect(seal.open(OWNER, changed), `at ${at}`).toBeUndefined()
        expect(seal.open(OWNER, sealed.slice(0, at))).toBeUndefined()
      }
      for (const more of ['A', '=', ' ', '\n']) {
        expect(seal.open(OWNER, sealed + more)).toBeUndefined()
      }
    })

    test('opens no text of somebody else, whatever it is', () => {
      const bytes = fc.uint8Array().map((some) => Buffer.from(some).toString('base64url'))
      const property = fc.property(fc.oneof(fc.string(), bytes), (text) => {
        expect(seal.open(OWNER, text)).toBeUndefined()
      })
      fc.assert(property)
    })
  })
}
