import { Link, Outlet } from '@tanstack/react-router'
import { useSession } from '../api/session.ts'
import { type PlainName, t } from '../text/translate.ts'
import { AreaList, areaLook } from './area-list.tsx'
import { Missing } from './fallbacks.tsx'

const areas = [
  ['/operator/accounts', 'accounts'],
  ['/operator/prices', 'prices'],
  ['/operator/audit', 'audit'],
  ['/operator/system', 'system'],
  ['/operator/access', 'access'],
  ['/operator/events', 'whoDidWhat'],
] as const satisfies readonly (readonly [path: string, name: PlainName])[]

/** The pages of those who run the service: for all others there are none. */
export function OperatorLayout() {
  const { platform_role: role } = useSession()
  if (role === null) return <Missing />
  return (
    <div className="flex min-w-0 flex-1 flex-col md:flex-row">
      <AreaList
        label={t('operatorAreas')}
        top={<p className="px-3 py-1 font-semibold">{t('operatorRole', { role: t(role) })}</p>}
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
