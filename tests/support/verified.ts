/** The result of a verification, for tests that care for nothing before it. */

import type { Operations } from '@svc/contracts/admin/operations'
import type { VerifyResult } from '@svc/contracts/admin/verification'

export async function verified({ verify }: Pick<Operations, 'verify'>): Promise<VerifyResult> {
  for await (const line of verify({})) if (line.type === 'result') return line
  throw new Error('the verification ended without a result')
}
