import { useSession } from '../api/session.ts'
import { useAccountId } from './account-id.ts'

/** What the one who is signed in may do in the open account. */
export function useAccountRole(): 'member' | 'owner' | undefined {
  const accountId = useAccountId()
  const { accounts } = useSession()
  return accounts.find(({ account_id }) => account_id === accountId)?.role
}
