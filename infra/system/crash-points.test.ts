import { crashPoints, noCrashPoints } from '@svc/contracts/crash-points'
import { describe, expect, test, vi } from 'vitest'
import { CrashPlanError, crashPointsFromPlan } from './crash-points.ts'

describe('a crash plan', () => {
  test('kills at the named pass of the named place, and at no other', () => {
    const kill = vi.fn()
    const reach = crashPointsFromPlan('settle.before:3', kill)
    for (const point of ['settle.before', 'settle.after', 'settle.before'] as const) reach(point)
    expect(kill).not.toHaveBeenCalled()
    reach('settle.before')
    expect(kill).toHaveBeenCalledOnce()
    reach('settle.before')
    expect(kill).toHaveBeenCalledOnce()
  })

  test.each(crashPoints)('can name %s', (point) => {
    const kill = vi.fn()
    crashPointsFromPlan(`${point}:1`, kill)(point)
    expect(kill).toHaveBeenCalledOnce()
  })

  test.each([undefined, ''])('that is absent does nothing: %j', (plan) => {
    expect(crashPointsFromPlan(plan)).toBe(noCrashPoints)
  })

  test.each([
    'settle.middle:1',
    'settle.before',
    'settle.before:0',
    'settle.before:-1',
    'settle.before:1.5',
    'settle.before:x',
    ' settle.before:1',
    'toString.x:1',
  ])('that makes no sense is refused: %s', (plan) => {
    expect(() => crashPointsFromPlan(plan)).toThrow(CrashPlanError)
  })
})
