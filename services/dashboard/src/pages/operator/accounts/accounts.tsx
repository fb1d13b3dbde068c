import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { type AccountsSearch, accountOrders } from '../../../address/operator-search.ts'
import { given } from '../../../address/search.ts'
import { askAdmin, useMay } from '../../../api/admin.ts'
import { countText } from '../../../text/times.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Settled } from '../../../ui/drawing/settled.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Choice } from '../../../ui/forms/field.tsx'
import { MoreRows } from '../../../ui/more-rows.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { t } from '../operator-text.ts'
import { accountPages } from './account-pages.ts'
import { accountStatusChoices } from './account-status.tsx'
import { AccountTable } from './account-table.tsx'
import { FindField } from './find-field.tsx'
import { OpenAccount } from './open-account.tsx'

const route = getRouteApi('/signed-in/operator/accounts')

/** Sums look at every account: what is clicked right after the rows are there comes first. */
const SUMS_AFTER_MS = 500

const orderNames = {
  newest: 'orderNewest',
  oldest: 'orderOldest',
  activity: 'orderActivity',
  available: 'orderAvailable',
  held: 'orderHeld',
  spent: 'orderSpent',
  name: 'orderName',
  status: 'orderStatus',
} as const

/** Everybody who has a balance here. */
export function Accounts() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const may = useMay()
  const [isOpening, setOpening] = useState(false)
  const query = useInfiniteQuery(accountPages(search))
  const { find, status } = search
  const isResting = useRest(query.dataUpdatedAt)
  const sums = useQuery({
    ...askAdmin('sumAccounts', given('status', status)),
    enabled: find === undefined && isResting,
  })
  const open = may('openAccount') && (
    <Button look="main" onClick={() => setOpening(true)}>
      {t('openAccount')}
    </Button>
  )
  const setSearch = useCallback(
    (next: AccountsSearch) => {
      // Back leads to what was looked for before, not through the letters of it.
      const isTypedOn = find !== undefined && next.find !== undefined && next.find !== find
      return navigate({ search: next, replace: isTypedOn })
    },
    [navigate, find],
  )
  return (
    <Page title={t('accounts')} action={open}>
      <Filters search={search} onChange={setSearch} />
      <DamagedAmong count={sums.data?.damaged ?? 0} />
      <Card>
        <Answer query={query}>
          {({ pages }) => (
            <Settled isOld={query.isPlaceholderData}>
              {() => {
                const accounts = pages.flatMap((page) => page.accounts)
                if (accounts.length > 0) {
                  const shown = find === undefined ? sums.data : undefined
                  return (
                    <AccountTable list={JSON.stringify(search)} accounts={accounts} sums={shown} />
                  )
                }
                if (find === undefined && status === undefined) {
                  return <Empty title={t('noAccountAtAll')} />
                }
                return (
                  <Empty title={t('noAccountFits')}>
                    <Button onClick={() => setSearch({})}>{t('clearFilters')}</Button>
                  </Empty>
                )
              }}
            </Settled>
          )}
        </Answer>
        <MoreRows query={query}>
          <span className="text-sm text-soft">{t('thirtyDays')}</span>
        </MoreRows>
      </Card>
      {isOpening && <OpenAccount onClose={() => setOpening(false)} />}
    </Page>
  )
}

/** The view that lists, orders and sums has a damaged account as it was before the damage. */
function DamagedAmong({ count }: { readonly count: number }) {
  if (count === 0) return null
  return (
    <Notice look="warn">
      {t('damagedAmongAccounts', { count: countText(count) })}{' '}
      <Link to="/operator/system">{t('seeDamage')}</Link>
    </Notice>
  )
}

/** Whether nothing new was shown for a moment. @param shownAt changes with what is shown */
function useRest(shownAt: number): boolean {
  const [restsAt, setRestsAt] = useState<number>()
  useEffect(() => {
    if (shownAt === 0) return
    const timer = setTimeout(() => setRestsAt(shownAt), SUMS_AFTER_MS)
    return () => clearTimeout(timer)
  }, [shownAt])
  return restsAt === shownAt
}

interface FiltersProps {
  readonly search: AccountsSearch
  readonly onChange: (search: AccountsSearch) => void
}

function Filters({ search, onChange }: FiltersProps) {
  const { status, ...others } = search
  const { find = '' } = search
  const onFind = useCallback(
    (text: string) => {
      const { find: _, ...rest } = search
      onChange({ ...rest, ...given('find', text.trim() || undefined) })
    },
    [search, onChange],
  )
  return (
    <div className="grid grid-cols-2 items-end gap-3 md:grid-cols-4">
      <div className="col-span-2">
        <FindField label={t('findAccount')} value={find} onFind={onFind} />
      </div>
      <Choice
        label={t('status')}
        value={status ?? ''}
        options={[['', t('all')], ...accountStatusChoices]}
        onChoose={(chosen) =>
          onChange({ ...others, ...given('status', chosen === '' ? undefined : chosen) })
        }
      />
      {find === '' && (
        <Choice
          label={t('orderBy')}
          value={search.order ?? 'newest'}
          options={accountOrders.map((order) => [order, t(orderNames[order])] as const)}
          onChoose={(order) => onChange({ ...search, order })}
        />
      )}
    </div>
  )
}
