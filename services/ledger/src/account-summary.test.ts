import { expect, test } from 'vitest'
import { expiringCredit } from './account-summary.ts'

const grant = (grantId: string, expiresAt: number | null, remaining = 5n, priority = 100) => ({
  grantId,
  expiresAt,
  remaining,
  priority,
  ...({ category: 'paid', grantedAt: 1 } as const),
})

test('what ends next comes first, and within a moment what is spent first', () => {
  const { total, grants } = expiringCredit([
    grant('never', null),
    grant('late', 30, 1n, 0),
    grant('spent', 10, 0n),
    grant('same moment, spent later', 20, 3n),
    grant('same moment, spent first', 20, 4n, 50),
  ])
  expect(total).toBe(8n)
  expect(grants.map(({ grantId }) => grantId)).toEqual([
    'same moment, spent first',
    'same moment, spent later',
    'late',
  ])
})
