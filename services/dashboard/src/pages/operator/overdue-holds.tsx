import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { askAdmin } from '../../api/admin.ts'
import { countText } from '../../text/times.ts'
import { Age } from '../../ui/moment.tsx'
import { Notice } from '../../ui/notice.tsx'
import { t } from './operator-text.ts'

/** How often it is asked for while a page of operators is open, in milliseconds. */
const REFRESH_MS = 10_000

/** Credit that is held longer than any request may run: said on every page of operators. */
export function OverdueHolds() {
  const { data } = useQuery({ ...askAdmin('status', {}), refetchInterval: REFRESH_MS })
  // A server that is older than the page says nothing of them.
  const { count = 0, since = null } = data?.overdue_holds ?? {}
  if (since === null) return null
  return (
    <div className="mx-auto w-full max-w-6xl px-4 pt-4 md:px-6">
      <Notice look="bad">
        {t('overdueHolds', { count: countText(count) })} <Age at={since} />.{' '}
        <Link to="/operator/system">{t('seeHolds')}</Link>
      </Notice>
    </div>
  )
}
