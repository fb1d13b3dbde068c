/**
 * The status of accounts as a list can be asked for it. The views that lists are made of have a
 * damaged account with the status that it had before the damage: that it is damaged stands beside.
 */
import type { listedStatuses } from '@svc/contracts/admin/accounts'
import { accountStream } from '@svc/contracts/events/account'
import { noQuarantine, type Quarantine } from '@svc/contracts/ports/quarantine'
import type { AccountRow } from '@svc/projections/views'

export type ListedStatus = (typeof listedStatuses)[number]
export type StandingAccount = Pick<AccountRow, 'accountId' | 'status'>

type Found = Pick<Quarantine, 'find'> | undefined

export function isDamaged(
  quarantine: Found = noQuarantine,
  { accountId }: Pick<AccountRow, 'accountId'>,
): boolean {
  return quarantine.find(accountStream(accountId)) !== undefined
}

/** @param status that is asked for; undefined for any */
export function isOfStatus(
  quarantine: Found,
  account: StandingAccount,
  status: ListedStatus | undefined,
): boolean {
  if (status === 'damaged') return isDamaged(quarantine, account)
  return status === undefined || account.status === status
}
