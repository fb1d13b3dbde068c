import type { AccountSummary } from '@svc/contracts/admin/accounts'
import { Badge, type BadgeLook } from '../../../ui/badge.tsx'
import { type PlainName, t } from '../operator-text.ts'

/** Damaged stands in place of the status that such an account had before the damage. */
type Status = AccountSummary['status'] | 'damaged'
type Shown = readonly [name: PlainName, look: BadgeLook]

const shown: Readonly<Record<Status, Shown>> = {
  open: ['accountOpen', 'good'],
  frozen: ['accountFrozen', 'warn'],
  closed: ['accountClosed', 'plain'],
  damaged: ['statusDamaged', 'bad'],
}

/** Whether an account takes requests, in a word: a damaged one takes none, whatever it was. */
export function AccountStatus({ status }: { readonly status: Status }) {
  const [name, look] = shown[status]
  return <Badge text={t(name)} look={look} />
}

/** Each status with its word, to choose from. */
export const accountStatusChoices = Object.entries(shown).map(
  ([status, [name]]) => [status as Status, t(name)] as const,
)
