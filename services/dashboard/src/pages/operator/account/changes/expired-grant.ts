import type { GrantDetails } from '@svc/contracts/admin/accounts'
import { serverNow } from '../../../../api/server-clock.ts'

/** Whether a grant has ended: what is left of it is gone, and it can be taken back no more. */
export function hasExpired({ expires_at: at }: GrantDetails): boolean {
  return at !== null && Date.parse(at) <= serverNow()
}
