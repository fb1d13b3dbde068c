import { idKinds, idTimeMs, isId } from '@svc/contracts/ids'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SystemIds } from './system-ids.ts'

const now = 1_800_000_000_000

describe('ids', () => {
  test('are well formed, carry the time, and differ', () => {
    const ids = new SystemIds({ nowMs: () => now })
    const made = idKinds.map((kind) => ids.next(kind))
    expect(made.every((id, at) => isId(idKinds[at] ?? 'req', id))).toBe(true)
    expect(made.map(idTimeMs)).toEqual(made.map(() => now))
    expect(new SystemIds({ nowMs: () => now }).next('req')).not.toBe(made[3])
  })

  test('are in order whatever the clock does', () => {
    const clockSteps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -5_000, max: 5_000 })), {
      maxLength: 200,
    })
    fc.assert(
      fc.property(clockSteps, (steps) => {
        let nowMs = now
        const ids = new SystemIds({ nowMs: () => nowMs })
        const made = steps.map((step) => {
          nowMs += step
          return ids.next('req')
        })
        expect(made).toEqual(made.toSorted())
        expect(new Set(made).size).toBe(made.length)
      }),
    )
  })

  test('go on in the next millisecond when the random part is used up', () => {
    const ids = new SystemIds({ nowMs: () => now }, (count) => new Uint8Array(count).fill(0xff))
    const [first, second] = [ids.next('req'), ids.next('req')]
    expect(idTimeMs(second)).toBe(now + 1)
    expect(second > first).toBe(true)
  })

  test('carry over when a byte is full', () => {
    const random = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)
    const ids = new SystemIds({ nowMs: () => now }, () => random)
    const [first, second] = [ids.next('req'), ids.next('req')]
    expect(first.slice(-4)).toBe('1zzz')
    expect(second.slice(-4)).toBe('2000')
  })
})
