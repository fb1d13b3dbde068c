import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { t } from '../../text/translate.ts'

type Link = DashboardOutput<'lookAtLink'>

/** All that whoever accepts a link becomes, in a sentence each. */
export function linkPurposes({ kind, account, platform_role: role }: Link): readonly string[] {
  if (kind === 'owner') return [t('linkOwner')]
  if (kind === 'reset') return [t('linkReset')]
  return [
    ...(role === null ? [] : [t('linkPlatform', { role: t(role) })]),
    ...(account === null ? [] : [t('linkAccount', { name: account.name, role: t(account.role) })]),
  ]
}
