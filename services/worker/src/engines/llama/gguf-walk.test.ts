import { readFileSync } from 'node:fs'
import { demoModelPath } from '@svc/infra/demo-model/demo-model'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GgufDamage, walkGguf } from './gguf-walk.ts'

const model = readFileSync(demoModelPath)
const HEAD_BYTES = 60_000

describe('the head of a model file', () => {
  it('of a whole file is fine', () => {
    expect(() => walkGguf(model, model.length)).not.toThrow()
  })

  it('that is cut off anywhere is found', () => {
    fc.assert(
      fc.property(fc.nat(HEAD_BYTES), (length) => {
        expect(() => walkGguf(model.subarray(0, length), length)).toThrow(GgufDamage)
      }),
    )
  })

  it('of a file that lost its data is found', () => {
    expect(() => walkGguf(model.subarray(0, 1_000_000), 1_000_000)).toThrow(/cut off/)
  })

  it('with any wrong bytes is walked to an end or refused, and never anything else', () => {
    const change = fc.tuple(fc.nat(HEAD_BYTES), fc.integer({ min: 0, max: 255 }))
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const bytes = Buffer.from(model.subarray(0, 100_000))
        for (const [at, value] of changes) bytes[at] = value
        try {
          walkGguf(bytes, model.length)
        } catch (error) {
          expect(error).toBeInstanceOf(GgufDamage)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
