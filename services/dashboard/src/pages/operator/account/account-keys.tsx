import type { AccountDetails, KeyDetails } from '@svc/contracts/admin/accounts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { askAdmin, callAdmin, useMay } from '../../../api/admin.ts'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { GivenName } from '../../../ui/given-name.tsx'
import { KeyState } from '../../../ui/key-state.tsx'
import { Age } from '../../../ui/moment.tsx'
import { DecimalColumn, finestOf } from '../../../ui/money.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { actorName } from '../events/actors.ts'
import { t } from '../operator-text.ts'
import { ReasonedChange } from '../reasoned-change.tsx'

/** The keys of an account: its owners make them, an operator can end them. */
export function AccountKeys({ account }: { readonly account: AccountDetails }) {
  const may = useMay()
  const [revoked, setRevoked] = useState<KeyDetails>()
  const { keys, account_id } = account
  if (keys.length === 0) return <Empty title={t('noKeys')} />
  const decimals = finestOf(keys.map(({ spent }) => spent))
  return (
    <>
      <Table label={t('keys')} head={<Heads />}>
        {keys.map((key) => (
          <tr key={key.key_id} className="hover:bg-panel" data-row>
            <Cell>
              <GivenName name={key.name} />
            </Cell>
            <Cell>
              <code className="text-xs">…{key.last_four}</code>
            </Cell>
            <Cell>
              <KeyState status={key.status} />
            </Cell>
            <Cell>
              <Age at={key.created_at} />
              <Maker actor={key.created_by} />
            </Cell>
            <Cell>
              <Age at={key.last_used_at} />
            </Cell>
            <Cell isNumber isPinned>
              <DecimalColumn amount={key.spent} decimals={decimals} />
            </Cell>
            <Cell isNumber>
              {key.status === 'active' && may('revokeKey') && (
                <Button look="danger" onClick={() => setRevoked(key)}>
                  {t('revoke')}
                </Button>
              )}
            </Cell>
          </tr>
        ))}
      </Table>
      {revoked !== undefined && (
        <ReasonedChange
          title={t('revokeKey', { name: revoked.name })}
          effect={t('revokeEffect')}
          confirm={t('revoke')}
          isDangerous
          // A key that was revoked stays so: there is nothing that could happen twice.
          change={({ reason }) =>
            callAdmin('revokeKey', { account_id, key_id: revoked.key_id, reason })
          }
          onClose={() => setRevoked(undefined)}
        />
      )}
    </>
  )
}

function Heads() {
  return (
    <>
      <Head>{t('name')}</Head>
      <Head>{t('key')}</Head>
      <Head>{t('status')}</Head>
      <Head>{t('created')}</Head>
      <Head>{t('lastUsed')}</Head>
      <Head isNumber isPinned>
        {t('spent')}
      </Head>
      <Head>
        <span className="sr-only">{t('actions')}</span>
      </Head>
    </>
  )
}

function Maker({ actor }: { readonly actor: string | null }) {
  const { data: users = [] } = useQuery(askAdmin('listUsers', {}))
  if (actor === null) return null
  return (
    <span className="line-clamp-2 text-xs text-soft">
      {t('createdBy', { name: actorName(actor, users) })}
    </span>
  )
}
