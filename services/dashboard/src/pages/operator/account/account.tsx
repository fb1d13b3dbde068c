import type { AccountDetails } from '@svc/contracts/admin/accounts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { type AccountView, accountViews } from '../../../address/operator-search.ts'
import { given, period, usageSearch } from '../../../address/search.ts'
import { askAdmin } from '../../../api/admin.ts'
import { Answer, Loading } from '../../../ui/answer.tsx'
import { Card } from '../../../ui/card.tsx'
import { lazyPage } from '../../../ui/drawing/lazy-page.ts'
import { Notice } from '../../../ui/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { type PlainName, t } from '../operator-text.ts'
import { AccountActions } from './account-actions.tsx'
import { AccountFacts } from './account-facts.tsx'
import { AccountGrants } from './account-grants.tsx'
import { AccountKeys } from './account-keys.tsx'
import { AccountRequests } from './account-requests.tsx'
import { AccountStatement } from './account-statement.tsx'
import { HoldList } from './hold-list.tsx'
import { useOpenedAccount } from './opened-account.ts'

/** Its charts are as large as the rest of the page. */
const AccountUsage = lazyPage(() => import('./account-usage.tsx'), 'AccountUsage')

const viewNames: Readonly<Record<AccountView, PlainName>> = {
  grants: 'grants',
  holds: 'holds',
  keys: 'keys',
  requests: 'requests',
  statement: 'statement',
  usage: 'usage',
}

/** One account, as those see it who run the service. */
export function OperatedAccount() {
  const { accountId } = useOpenedAccount()
  const query = useQuery({
    ...askAdmin('showAccount', { account_id: accountId }),
    placeholderData: undefined as never,
  })
  const { data: account } = query
  return (
    <Page
      title={account?.name ?? t('account')}
      action={account !== undefined && <AccountActions account={account} />}
    >
      {query.error?.status === 404 ? (
        <p>{t('noSuchAccount', { id: accountId })}</p>
      ) : query.error?.code === 'account_damaged' ? (
        <Notice look="bad">
          {t('accountDamaged', { id: accountId })}{' '}
          <Link to="/operator/system">{t('seeDamage')}</Link>
        </Notice>
      ) : (
        <Answer query={query}>{(shown) => <Shown account={shown} />}</Answer>
      )}
    </Page>
  )
}

function Shown({ account }: { readonly account: AccountDetails }) {
  const { accountId, search } = useOpenedAccount()
  const view = search.view ?? 'grants'
  return (
    <>
      <AccountFacts account={account} />
      <nav aria-label={t('views')} className="flex flex-wrap gap-x-1 border-b border-line">
        {accountViews.map((each) => (
          <Link
            key={each}
            to="/operator/accounts/$accountId"
            params={{ accountId }}
            search={{ view: each, ...period({ ...search }) }}
            aria-current={each === view ? 'page' : undefined}
            className={`-mb-px border-b-2 px-3 py-2 text-ink no-underline ${each === view ? 'border-brand font-semibold' : 'border-transparent'}`}
          >
            {t(viewNames[each])}
          </Link>
        ))}
      </nav>
      <View view={view} account={account} grant={search.grant} />
    </>
  )
}

interface ViewProps {
  readonly view: AccountView
  readonly account: AccountDetails
  /** That was looked for. */
  readonly grant: string | undefined
}

function View({ view, account, grant }: ViewProps) {
  const { account_id: accountId } = account
  if (view === 'statement') return <AccountStatement key={accountId} account={account} />
  if (view === 'requests') return <AccountRequests key={accountId} account={account} />
  if (view === 'usage') return <Usage key={accountId} account={account} />
  return (
    <Card>
      {view === 'grants' && <AccountGrants key={grant} account={account} found={grant} />}
      {view === 'holds' && <HoldList accountId={accountId} />}
      {view === 'keys' && <AccountKeys account={account} />}
    </Card>
  )
}

function Usage({ account }: Pick<ViewProps, 'account'>) {
  const { search, navigate } = useOpenedAccount()
  return (
    <Suspense fallback={<Loading />}>
      <AccountUsage
        account={account}
        search={usageSearch({ ...search })}
        onChange={(next) => navigate({ search: { ...given('view', search.view), ...next } })}
      />
    </Suspense>
  )
}
