import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type AccountsSearch, accountOrders } from '../../../address/operator-search.ts'
import { useMay } from '../../../api/admin.ts'
import { countText } from '../../../text/times.ts'
import { t } from '../../../text/translate.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Choice, Field } from '../../../ui/field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { accountStatusChoices } from './account-status.tsx'
import { AccountTable } from './account-table.tsx'
import { type EveryAccount, everyAccount } from './every-account.ts'
import { foundAccounts } from './found-accounts.ts'
import { OpenAccount } from './open-account.tsx'

const ROWS = 50
const route = getRouteApi('/signed-in/operator/accounts')

const orderNames = {
  newest: 'orderNewest',
  activity: 'orderActivity',
  available: 'orderAvailable',
  held: 'orderHeld',
  spent: 'orderSpent',
  name: 'orderName',
} as const

/** Everybody who has a balance here. */
export function Accounts() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const may = useMay()
  const [isOpening, setOpening] = useState(false)
  const query = useQuery(everyAccount)
  const open = may('openAccount') && (
    <Button look="main" onClick={() => setOpening(true)}>
      {t('openAccount')}
    </Button>
  )
  const setSearch = (next: AccountsSearch) => navigate({ search: next, replace: true })
  return (
    <Page title={t('accounts')} action={open}>
      <Filters search={search} onChange={setSearch} />
      <Card>
        <Answer query={query}>
          {(every) => <Found every={every} search={search} onClear={() => setSearch({})} />}
        </Answer>
      </Card>
      {isOpening && <OpenAccount onClose={() => setOpening(false)} />}
    </Page>
  )
}

interface FiltersProps {
  readonly search: AccountsSearch
  readonly onChange: (search: AccountsSearch) => void
}

function Filters({ search, onChange }: FiltersProps) {
  const { status, ...others } = search
  return (
    <div className="grid grid-cols-2 items-end gap-3 md:grid-cols-4">
      <div className="col-span-2">
        <Field
          label={t('findAccount')}
          type="search"
          value={search.find ?? ''}
          onChange={({ target }) => onChange({ ...search, find: target.value })}
        />
      </div>
      <Choice
        label={t('status')}
        value={status ?? ''}
        options={[['', t('all')], ...accountStatusChoices]}
        onChoose={(chosen) => onChange(chosen === '' ? others : { ...others, status: chosen })}
      />
      <Choice
        label={t('orderBy')}
        value={search.order ?? 'newest'}
        options={accountOrders.map((order) => [order, t(orderNames[order])] as const)}
        onChoose={(order) => onChange({ ...search, order })}
      />
    </div>
  )
}

interface FoundProps {
  readonly every: EveryAccount
  readonly search: AccountsSearch
  readonly onClear: () => void
}

function Found({ every: { accounts, isCut }, search, onClear }: FoundProps) {
  const [rows, setRows] = useState(ROWS)
  const found = foundAccounts(accounts, search)
  if (accounts.length === 0) return <Empty title={t('noAccountAtAll')} />
  if (found.length === 0) {
    return (
      <Empty title={t('noAccountFits')}>
        <Button onClick={onClear}>{t('clearFilters')}</Button>
      </Empty>
    )
  }
  return (
    <>
      {isCut && (
        <Notice look="warn">{t('accountsCut', { count: countText(accounts.length) })}</Notice>
      )}
      <AccountTable accounts={found.slice(0, rows)} found={found} />
      {found.length > rows && (
        <div className="mt-3">
          <Button onClick={() => setRows(rows + ROWS)}>{t('more')}</Button>
        </div>
      )}
    </>
  )
}
