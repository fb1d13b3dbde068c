import type { RefusalDetails } from '@svc/contracts/admin/billing'
import { accountOfStream } from '@svc/contracts/events/account'
import { useMutation } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useSearch } from '@tanstack/react-router'
import { idKind } from '../address/id-kind.ts'
import { type AccountSearch, ANY } from '../address/operator-search.ts'
import { period } from '../address/search.ts'
import { callAdmin } from '../api/admin.ts'
import { ApiError } from '../api/api-error.ts'
import { useSession } from '../api/session.ts'
import { OverdueHolds } from '../pages/operator/overdue-holds.tsx'
import { RefusedRequest } from '../pages/operator/refused-request.tsx'
import { ShownZone } from '../text/shown-zone.ts'
import { dayText, ownZone } from '../text/times.ts'
import { t } from '../text/translate.ts'
import { type Area, AreasLayout, areaLook } from './areas-layout.tsx'
import { Missing } from './fallbacks.tsx'
import { FindBox, foundNothing } from './find-box.tsx'

const areas = [
  ['/operator/accounts', 'accounts', 'a'],
  ['/operator/prices', 'prices', 'p'],
  ['/operator/audit', 'audit', 'd'],
  ['/operator/system', 'system', 's'],
  ['/operator/access', 'access', 'x'],
  ['/operator/events', 'whoDidWhat', 'w'],
] as const satisfies readonly Area<string>[]

/** The pages of those who run the service: for all others there are none. */
export function OperatorLayout() {
  const { platform_role: role } = useSession()
  const navigate = useNavigate()
  const { zone = ownZone } = period(useSearch({ strict: false }))
  if (role === null) return <Missing />
  return (
    <ShownZone value={zone}>
      <AreasLayout
        label={t('operatorAreas')}
        areas={areas}
        top={
          <>
            <p className="px-3 py-1 font-semibold">{t('operatorRole', { role: t(role) })}</p>
            <OperatorFindBox />
          </>
        }
        linkTo={(to, name) => (
          <Link to={to} activeOptions={{ includeSearch: false }} {...areaLook}>
            {t(name)}
          </Link>
        )}
        onGo={(to) => navigate({ to })}
      >
        <OverdueHolds />
        <Outlet />
      </AreasLayout>
    </ShownZone>
  )
}

/**
 * A request leads to its receipt in the account that it is of, or is told why it was refused; an
 * event leads to its place in the log, a price to the prices, a user, a token or a link to access,
 * a grant to its row in the account, an adjustment or a refund to its row on the statement; a key
 * and other text to accounts.
 */
function OperatorFindBox() {
  const navigate = useNavigate()
  const to = '/operator/accounts/$accountId'
  const open = async (text: string): Promise<unknown> => {
    const kind = idKind(text)
    if (kind === 'event') {
      const { position } = await callAdmin('findEvent', { event_id: text })
      return navigate({
        to: '/operator/events',
        search: { at: Number(position), who: ANY, what: ANY },
      })
    }
    if (kind === 'price') return navigate({ to: '/operator/prices' })
    if (kind === 'access') return navigate({ to: '/operator/access' })
    if (kind === 'account') return navigate({ to, params: { accountId: text } })
    if (kind === 'movement') {
      const { accountId, search } = await placeOfMovement(text)
      return navigate({ to, params: { accountId }, search })
    }
    return navigate({ to: '/operator/accounts', search: { find: text } })
  }
  const openRequest = async (text: string): Promise<RefusalDetails | undefined> => {
    const found = await explained(text)
    if (found === undefined) return callAdmin('explainRefusal', { request_id: text })
    const search = { view: 'requests', request: found.id } as const
    await navigate({ to, params: { accountId: found.account_id }, search })
    return undefined
  }
  const find = useMutation<RefusalDetails | undefined, Error, string>({
    mutationFn: async (text) => {
      if (idKind(text) === 'request') return openRequest(text)
      await open(text)
      return undefined
    },
  })
  return (
    <FindBox
      label={t('findAnything')}
      onFind={find.mutate}
      problem={foundNothing(find.error, missingText, find.variables)}
      answer={find.data && <RefusedRequest refusal={find.data} />}
    />
  )
}

/** A request that was accepted; undefined where none was accepted under the id. */
async function explained(id: string) {
  try {
    return await callAdmin('explain', { request_id: id })
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

/** The id of the account that a grant was given to; undefined where it is not the only one. */
async function ownerOf(grantId: string): Promise<string | undefined> {
  const { accounts } = await callAdmin('searchAccounts', { text: grantId, limit: 2 })
  const [owner, another] = accounts
  return another === undefined ? owner?.account_id : undefined
}

interface MovementPlace {
  readonly accountId: string
  readonly search: AccountSearch
}

/**
 * What shows a movement: the grants of its account, or the statement of its day. Of an adjustment
 * up there is a grant too, under which its reason does not stand.
 */
async function placeOfMovement(id: string): Promise<MovementPlace> {
  const owner = id.startsWith('grant_') ? await ownerOf(id) : undefined
  if (owner !== undefined) return { accountId: owner, search: { view: 'grants', grant: id } }
  const { stream, data } = await callAdmin('findEvent', { event_id: id })
  const { at } = data as { readonly at: number }
  const day = dayText(new Date(at).toISOString(), ownZone)
  const search = { view: 'statement', from: day, to: day, zone: ownZone, movement: id } as const
  return { accountId: accountOfStream(stream) ?? '', search }
}

function missingText(id: string): string {
  return t(idKind(id) === 'request' ? 'noSuchRequestAnywhere' : 'noSuchEventAnywhere', { id })
}
