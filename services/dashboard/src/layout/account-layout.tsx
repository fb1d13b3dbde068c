import { getRouteApi, Link, Outlet, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { idKind } from '../address/id-kind.ts'
import { useSession } from '../api/session.ts'
import { type PlainName, t } from '../text/translate.ts'
import { Notice } from '../ui/notice.tsx'
import { AreaList, areaLook } from './area-list.tsx'
import { Missing } from './fallbacks.tsx'
import { FindBox } from './find-box.tsx'
import { rememberAccount } from './last-account.ts'
import { Shortcuts } from './shortcuts.tsx'

const areas = [
  ['/accounts/$accountId', 'home', 'h'],
  ['/accounts/$accountId/chat', 'chat', 'c'],
  ['/accounts/$accountId/keys', 'keys', 'k'],
  ['/accounts/$accountId/requests', 'requests', 'r'],
  ['/accounts/$accountId/statement', 'statement', 's'],
  ['/accounts/$accountId/usage', 'usage', 'u'],
  ['/accounts/$accountId/members', 'members', 'm'],
] as const satisfies readonly (readonly [path: string, name: PlainName, letter: string])[]

const route = getRouteApi('/signed-in/accounts/$accountId')

/** The pages of one account, with the way between them. */
export function AccountLayout() {
  const { accountId } = route.useParams()
  const { accounts } = useSession()
  const navigate = useNavigate()
  const account = accounts.find(({ account_id }) => account_id === accountId)
  useEffect(() => rememberAccount(accountId), [accountId])
  if (account === undefined) return <Missing />
  return (
    <div className="flex min-w-0 flex-1 flex-col md:flex-row">
      <AreaList
        label={t('accountAreas')}
        top={
          <>
            <AccountChoice accountId={accountId} />
            <AccountFindBox accountId={accountId} />
          </>
        }
        bottom={
          <Shortcuts
            areas={areas.map(([, name, letter]) => [letter, name])}
            onGo={(name) => {
              const to = areas.find((area) => area[1] === name)?.[0]
              if (to !== undefined) void navigate({ to, params: { accountId } })
            }}
          />
        }
      >
        {areas.map(([to, name]) => (
          <li key={to}>
            <Link
              to={to}
              params={{ accountId }}
              activeOptions={{ exact: name === 'home', includeSearch: false }}
              {...areaLook}
            >
              {t(name)}
            </Link>
          </li>
        ))}
      </AreaList>
      <div className="min-w-0 flex-1">
        {account.status !== 'open' && (
          <div className="p-4 pb-0">
            <Notice look="warn">{t(account.status === 'frozen' ? 'frozen' : 'closed')}</Notice>
          </div>
        )}
        <Outlet />
      </div>
    </div>
  )
}

/** A request leads to its receipt, which says so where there is none of that id. */
function AccountFindBox({ accountId }: { readonly accountId: string }) {
  const { accounts } = useSession()
  const navigate = useNavigate()
  const find = (id: string) => {
    const params = { accountId }
    const kind = idKind(id)
    if (kind === 'price') return navigate({ to: '/prices' })
    if (kind === 'key') {
      return navigate({ to: '/accounts/$accountId/requests', params, search: { key: id } })
    }
    if (kind === 'account' && accounts.some(({ account_id }) => account_id === id)) {
      return navigate({ to: '/accounts/$accountId', params: { accountId: id } })
    }
    return navigate({ to: '/accounts/$accountId/requests', params, search: { request: id } })
  }
  return <FindBox label={t('findId')} onFind={find} />
}

/** One account needs no choice: its name is enough. */
function AccountChoice({ accountId }: { readonly accountId: string }) {
  const { accounts } = useSession()
  const navigate = useNavigate()
  if (accounts.length === 1)
    return <p className="px-3 py-1 font-semibold wrap-anywhere">{accounts[0]?.name}</p>
  return (
    <select
      aria-label={t('account')}
      className="min-h-9 w-full rounded-md border border-edge bg-paper px-2"
      value={accountId}
      onChange={({ target }) =>
        navigate({ to: '/accounts/$accountId', params: { accountId: target.value } })
      }
    >
      {accounts.map(({ account_id, name }) => (
        <option key={account_id} value={account_id}>
          {name}
        </option>
      ))}
    </select>
  )
}
