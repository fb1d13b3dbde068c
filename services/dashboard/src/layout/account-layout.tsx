import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { idKind } from '../address/id-kind.ts'
import { period } from '../address/search.ts'
import { call } from '../api/call.ts'
import { useSession } from '../api/session.ts'
import { ShownZone } from '../text/shown-zone.ts'
import { dayText, ownZone } from '../text/times.ts'
import { t } from '../text/translate.ts'
import { Notice } from '../ui/notice.tsx'
import { type Area, AreasLayout, areaLook } from './areas-layout.tsx'
import { Missing } from './fallbacks.tsx'
import { FindBox, foundNothing } from './find-box.tsx'
import { rememberAccount } from './last-account.ts'

const areas = [
  ['/accounts/$accountId', 'home', 'h'],
  ['/accounts/$accountId/chat', 'chat', 'c'],
  ['/accounts/$accountId/keys', 'keys', 'k'],
  ['/accounts/$accountId/requests', 'requests', 'r'],
  ['/accounts/$accountId/statement', 'statement', 's'],
  ['/accounts/$accountId/usage', 'usage', 'u'],
  ['/accounts/$accountId/members', 'members', 'm'],
] as const satisfies readonly Area<string>[]

/** Pages that show a period: from one to another it stays. */
const ofPeriods: ReadonlySet<string> = new Set([
  '/accounts/$accountId/requests',
  '/accounts/$accountId/statement',
  '/accounts/$accountId/usage',
])

const route = getRouteApi('/signed-in/accounts/$accountId')

/** The pages of one account, with the way between them. */
export function AccountLayout() {
  const { accountId } = route.useParams()
  const { accounts } = useSession()
  const navigate = useNavigate()
  const shown = period(useSearch({ strict: false }))
  const account = accounts.find(({ account_id }) => account_id === accountId)
  useEffect(() => rememberAccount(accountId), [accountId])
  if (account === undefined) return <Missing accountId={accountId} />
  const params = { accountId }
  const kept = (to: (typeof areas)[number][0]) => (ofPeriods.has(to) ? shown : {})
  return (
    <ShownZone value={shown.zone ?? ownZone}>
      <AreasLayout
        label={t('accountAreas')}
        areas={areas}
        top={
          <>
            <AccountChoice accountId={accountId} />
            <AccountFindBox accountId={accountId} />
          </>
        }
        linkTo={(to, name) => (
          <Link
            to={to}
            params={params}
            search={kept(to)}
            activeOptions={{ exact: name === 'home', includeSearch: false }}
            {...areaLook}
          >
            {t(name)}
          </Link>
        )}
        onGo={(to) => navigate({ to, params, search: kept(to) })}
      >
        {account.status !== 'open' && (
          <div className="p-4 pb-0">
            <Notice look="warn">{t(account.status)}</Notice>
          </div>
        )}
        <Outlet />
      </AreasLayout>
    </ShownZone>
  )
}

/**
 * A request leads to its receipt, which says so where there is none of that id; an event to the
 * request that it is about, or to its day on the statement; a grant, an adjustment or a refund to
 * its row there.
 */
function AccountFindBox({ accountId }: { readonly accountId: string }) {
  const { accounts } = useSession()
  const navigate = useNavigate()
  const params = { accountId }
  const toRequest = (request: string) =>
    navigate({ to: '/accounts/$accountId/requests', params, search: { request } })
  const find = useMutation<unknown, Error, string>({
    mutationFn: async (id) => {
      const kind = idKind(id)
      if (kind === 'price') return navigate({ to: '/prices' })
      if (kind === 'key') {
        return navigate({ to: '/accounts/$accountId/requests', params, search: { key: id } })
      }
      if (kind === 'account' && accounts.some(({ account_id }) => account_id === id)) {
        return navigate({ to: '/accounts/$accountId', params: { accountId: id } })
      }
      if (kind !== 'event' && kind !== 'movement') return toRequest(id)
      const event = await call('accountEvent', { account_id: accountId, event_id: id })
      const movement = kind === 'movement' ? { movement: id } : {}
      if (event.request_id !== null && kind === 'event') return toRequest(event.request_id)
      const day = dayText(event.at, ownZone)
      const search = { from: day, to: day, zone: ownZone, ...movement }
      return navigate({ to: '/accounts/$accountId/statement', params, search })
    },
  })
  const missing = (id: string) => t('noSuchEvent', { id })
  return (
    <FindBox
      label={t('findId')}
      onFind={find.mutate}
      problem={foundNothing(find.error, missing, find.variables)}
    />
  )
}

/** One account needs no choice: its name is enough. */
function AccountChoice({ accountId }: { readonly accountId: string }) {
  const { accounts } = useSession()
  const navigate = useNavigate()
  if (accounts.length === 1)
    return (
      <p className="px-3 py-1 font-semibold wrap-anywhere">
        <bdi>{accounts[0]?.name}</bdi>
      </p>
    )
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
