import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { useSession } from '../api/session.ts'
import { useAccountId } from './account-id.ts'

type OwnAccount = DashboardOutput<'session'>['accounts'][number]

function useOwnAccount(): OwnAccount | undefined {
  const accountId = useAccountId()
  const { accounts } = useSession()
  return accounts.find(({ account_id }) => account_id === accountId)
}

/** What the one who is signed in may do in the open account. */
export function useAccountRole(): OwnAccount['role'] | undefined {
  return useOwnAccount()?.role
}

/** What can be done with the open account, whoever asks for it. */
export function useAccountStatus(): OwnAccount['status'] | undefined {
  return useOwnAccount()?.status
}

/** Whether the one who is signed in may make, name and end keys: those of a closed one stay. */
export function useMayChangeKeys(): boolean {
  const { role, status } = useOwnAccount() ?? {}
  return role === 'owner' && (status === 'open' || status === 'frozen')
}
