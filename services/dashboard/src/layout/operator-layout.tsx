import { useMutation } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { idKind } from '../address/id-kind.ts'
import { callAdmin } from '../api/admin.ts'
import { ApiError } from '../api/api-error.ts'
import { useSession } from '../api/session.ts'
import { problemText } from '../text/problems.ts'
import { type PlainName, t } from '../text/translate.ts'
import { AreaList, areaLook } from './area-list.tsx'
import { Missing } from './fallbacks.tsx'
import { FindBox } from './find-box.tsx'
import { Shortcuts } from './shortcuts.tsx'

const areas = [
  ['/operator/accounts', 'accounts', 'a'],
  ['/operator/prices', 'prices', 'p'],
  ['/operator/audit', 'audit', 'd'],
  ['/operator/system', 'system', 's'],
  ['/operator/access', 'access', 'x'],
  ['/operator/events', 'whoDidWhat', 'w'],
] as const satisfies readonly (readonly [path: string, name: PlainName, letter: string])[]

/** The pages of those who run the service: for all others there are none. */
export function OperatorLayout() {
  const { platform_role: role } = useSession()
  const navigate = useNavigate()
  if (role === null) return <Missing />
  return (
    <div className="flex min-w-0 flex-1 flex-col md:flex-row">
      <AreaList
        label={t('operatorAreas')}
        top={
          <>
            <p className="px-3 py-1 font-semibold">{t('operatorRole', { role: t(role) })}</p>
            <OperatorFindBox />
          </>
        }
        bottom={
          <Shortcuts
            areas={areas.map(([, name, letter]) => [letter, name])}
            onGo={(name) => {
              const to = areas.find((area) => area[1] === name)?.[0]
              if (to !== undefined) void navigate({ to })
            }}
          />
        }
      >
        {areas.map(([to, name]) => (
          <li key={to}>
            <Link to={to} activeOptions={{ includeSearch: false }} {...areaLook}>
              {t(name)}
            </Link>
          </li>
        ))}
      </AreaList>
      <div className="min-w-0 flex-1">
        <Outlet />
      </div>
    </div>
  )
}

/** A request leads to its receipt in the account that it is of; other text to accounts. */
function OperatorFindBox() {
  const navigate = useNavigate()
  const find = useMutation<unknown, Error, string>({
    mutationFn: async (text) => {
      const kind = idKind(text)
      const to = '/operator/accounts/$accountId'
      if (kind === 'account') return navigate({ to, params: { accountId: text } })
      if (kind !== 'request') return navigate({ to: '/operator/accounts', search: { find: text } })
      const { account_id: accountId, id } = await callAdmin('explain', { request_id: text })
      return navigate({ to, params: { accountId }, search: { view: 'requests', request: id } })
    },
  })
  const { error, variables: asked = '' } = find
  return (
    <FindBox
      label={t('findAnything')}
      onFind={find.mutate}
      problem={error instanceof ApiError ? problemOf(error, asked) : undefined}
    />
  )
}

function problemOf(error: ApiError, id: string): string {
  return error.status === 404 ? t('noSuchRequestAnywhere', { id }) : problemText(error)
}
