import { Navigate } from '@tanstack/react-router'
import { useSession } from '../api/session.ts'
import { t } from '../text/translate.ts'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'
import { lastAccount } from './last-account.ts'

/** Leads to where somebody was last; who has no account and runs the service, to that. */
export function Start() {
  const { user, accounts, platform_role: platformRole } = useSession()
  if (user === null) return <Navigate to="/sign-in" replace />
  const known = accounts.find(({ account_id }) => account_id === lastAccount()) ?? accounts[0]
  if (known !== undefined) {
    return <Navigate to="/accounts/$accountId" params={{ accountId: known.account_id }} replace />
  }
  if (platformRole !== null) return <Navigate to="/operator/accounts" replace />
  return (
    <Page title={t('noAccounts')}>
      <Empty title={t('noAccountsText')} />
    </Page>
  )
}
