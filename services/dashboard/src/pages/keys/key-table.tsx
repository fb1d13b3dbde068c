import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/queries.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { useMayChangeKeys } from '../../layout/account-role.ts'
import { countText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { GivenName } from '../../ui/given-name.tsx'
import { KeyState } from '../../ui/key-state.tsx'
import { Age } from '../../ui/moment.tsx'
import { DecimalColumn, finestOf } from '../../ui/money.tsx'
import { Cell, Head, Table } from '../../ui/table.tsx'
import { RenameKey } from './rename-key.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { RotateKey } from './rotate-key.tsx'

type Key = DashboardOutput<'listAccountKeys'>[number]

/** Keys with what each spent; those that ended stay, for the sake of the history. */
export function KeyTable({ keys }: { readonly keys: readonly Key[] }) {
  const decimals = finestOf(keys.flatMap((key) => [key.spent_30_days, key.spent]))
  const { data: members } = useQuery(ask('listMembers', { account_id: useAccountId() }))
  const head = (
    <>
      <Head>{t('key')}</Head>
      <Head>{t('status')}</Head>
      <Head>{t('created')}</Head>
      <Head>{t('lastUsed')}</Head>
      <Head isNumber>{t('requests')}</Head>
      <Head isNumber isPinned>
        {t('spent30Days')}
      </Head>
      <Head isNumber>{t('spent')}</Head>
      <Head>
        <span className="sr-only">{t('actions')}</span>
      </Head>
    </>
  )
  return (
    <Table label={t('keys')} head={head}>
      {keys.map((key) => (
        <tr key={key.key_id} data-row>
          <Cell>
            <GivenName name={key.name} />
            <code className="text-xs text-soft">{`sk-svc-…${key.last_four}`}</code>
          </Cell>
          <Cell>
            <KeyState status={key.status} />
          </Cell>
          <Cell>
            <Age at={key.created_at} />
            {members !== undefined && (
              <span className="line-clamp-2 text-xs text-soft">
                {t('createdBy', { name: makerOf(key, members) })}
              </span>
            )}
          </Cell>
          <Cell>
            <Age at={key.last_used_at} />
          </Cell>
          <Cell isNumber>{countText(key.requests)}</Cell>
          {[key.spent_30_days, key.spent].map((spent, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two amounts in a fixed order
            <Cell isNumber isPinned={index === 0} key={index}>
              <DecimalColumn amount={spent} decimals={decimals} />
            </Cell>
          ))}
          <Cell isNumber>{!key.is_chat && <KeyActions apiKey={key} />}</Cell>
        </tr>
      ))}
    </Table>
  )
}

/** Gives the name that whoever made the key goes by now. */
function makerOf(
  { created_by: maker }: Key,
  members: readonly DashboardOutput<'listMembers'>[number][],
): string {
  if (maker === null) return t('theOperator')
  const member = members.find(({ user_id }) => user_id === maker)
  return member === undefined ? t('formerMember') : (member.display_name ?? t('erasedPerson'))
}

/** The buttons go when one may no more; a form that is open stays, to say why it was refused. */
function KeyActions({ apiKey }: { readonly apiKey: Key }) {
  const mayChange = useMayChangeKeys()
  const [open, setOpen] = useState<'rename' | 'rotate' | 'revoke'>()
  const close = () => setOpen(undefined)
  const isActive = apiKey.status === 'active'
  return (
    <span className="inline-flex gap-1">
      {mayChange && (
        <Button look="bare" onClick={() => setOpen('rename')}>
          {t('rename')}
        </Button>
      )}
      {mayChange && isActive && (
        <>
          <Button look="bare" onClick={() => setOpen('rotate')}>
            {t('rotate')}
          </Button>
          <Button look="danger" onClick={() => setOpen('revoke')}>
            {t('revoke')}
          </Button>
        </>
      )}
      {open === 'rename' && <RenameKey apiKey={apiKey} onClose={close} />}
      {open === 'rotate' && <RotateKey apiKey={apiKey} onClose={close} />}
      {open === 'revoke' && <RevokeKey apiKey={apiKey} onClose={close} />}
    </span>
  )
}
