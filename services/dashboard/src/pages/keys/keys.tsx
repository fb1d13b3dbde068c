import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../api/queries.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { useAccountRole, useMayChangeKeys } from '../../layout/account-role.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { KeyTable } from './key-table.tsx'
import { NewKey } from './new-key.tsx'

const REFRESH_MS = 10_000
const route = getRouteApi('/signed-in/accounts/$accountId/keys')

/** The keys of an account: made, named, ended here. */
export function Keys() {
  const accountId = useAccountId()
  const isOwner = useAccountRole() === 'owner'
  const mayChange = useMayChangeKeys()
  // Whoever may no more while a form is open must read there why it was refused.
  const [mayOpen, setMayOpen] = useState(mayChange)
  if (mayChange && !mayOpen) setMayOpen(true)
  const { create } = route.useSearch()
  const navigate = useNavigate()
  const setOpen = (isOpen: boolean) =>
    navigate({
      to: '/accounts/$accountId/keys',
      params: { accountId },
      search: isOpen ? { create: true } : {},
    })
  const query = useQuery({
    ...ask('listAccountKeys', { account_id: accountId }),
    refetchInterval: REFRESH_MS,
  })
  const newKey = mayChange && (
    <Button look="main" onClick={() => setOpen(true)}>
      {t('newKey')}
    </Button>
  )
  return (
    <Page title={t('keys')} action={newKey}>
      <Card>
        <Answer query={query}>{(keys) => <KeyList keys={keys} />}</Answer>
        {!isOwner && <p className="mt-3 text-sm text-soft">{t('keysByOwner')}</p>}
      </Card>
      {create === true && mayOpen && (
        <NewKey accountId={accountId} onClose={() => setOpen(false)} />
      )}
    </Page>
  )
}

function KeyList({ keys }: { readonly keys: DashboardOutput<'listAccountKeys'> }) {
  if (keys.length === 0) {
    return (
      <Empty title={t('noKeys')}>
        <p className="text-sm">{t('noKeysText')}</p>
      </Empty>
    )
  }
  return (
    <>
      <KeyTable keys={keys} />
      <p className="mt-3 text-sm text-soft">{t('thirtyDays')}</p>
    </>
  )
}
