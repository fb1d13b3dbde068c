import { t } from '../text/translate.ts'
import { Badge } from './badge.tsx'

const looks = { active: 'good', expired: 'plain', revoked: 'bad' } as const
const names = { active: 'keyActive', expired: 'keyExpired', revoked: 'keyRevoked' } as const

/** Whether a key, or an admin token, still opens anything. */
export function KeyState({ status }: { readonly status: keyof typeof names }) {
  return <Badge look={looks[status]} text={t(names[status])} />
}
