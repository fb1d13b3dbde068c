import type { AdminTokenDetails } from '@svc/contracts/admin/tokens'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { askAdmin, callAdmin, useMay } from '../../../api/admin.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { KeyState } from '../../../ui/key-state.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { ActorName } from '../events/actor-name.tsx'
import { t } from '../operator-text.ts'
import { ReasonedChange } from '../reasoned-change.tsx'
import { NewAdminToken } from './new-admin-token.tsx'

/** What programs administer with. */
export function AdminTokens() {
  const may = useMay()
  const [isMaking, setMaking] = useState(false)
  const [revoked, setRevoked] = useState<AdminTokenDetails>()
  const query = useQuery(askAdmin('listAdminTokens', {}))
  const make = may('createAdminToken') && (
    <Button onClick={() => setMaking(true)}>{t('newToken')}</Button>
  )
  return (
    <Card title={t('adminTokens')} action={make}>
      <Answer query={query}>
        {(tokens) =>
          tokens.length === 0 ? (
            <p className="text-sm text-soft">{t('noTokens')}</p>
          ) : (
            <TokenTable tokens={tokens} onRevoke={setRevoked} />
          )
        }
      </Answer>
      {isMaking && <NewAdminToken onClose={() => setMaking(false)} />}
      {revoked !== undefined && (
        <ReasonedChange
          title={t('revokeKey', { name: revoked.name })}
          effect={t('revokeTokenEffect')}
          confirm={t('revoke')}
          isDangerous
          // A token that was revoked stays so: there is nothing that could happen twice.
          change={({ reason }) =>
            callAdmin('revokeAdminToken', { token_id: revoked.token_id, reason })
          }
          onClose={() => setRevoked(undefined)}
        />
      )}
    </Card>
  )
}

interface TokenTableProps {
  readonly tokens: readonly AdminTokenDetails[]
  readonly onRevoke: (token: AdminTokenDetails) => void
}

function TokenTable({ tokens, onRevoke }: TokenTableProps) {
  const may = useMay()
  const head = (
    <>
      <Head>{t('name')}</Head>
      <Head>{t('role')}</Head>
      <Head>{t('status')}</Head>
      <Head>{t('created')}</Head>
      <Head>{t('madeBy')}</Head>
      <Head>{t('expires')}</Head>
      <Head>
        <span className="sr-only">{t('actions')}</span>
      </Head>
    </>
  )
  return (
    <Table label={t('adminTokens')} head={head}>
      {tokens.map((token) => (
        <tr key={token.token_id} className="hover:bg-panel" data-row>
          <Cell>
            <bdi>{token.name}</bdi> <code className="text-xs text-soft">…{token.last_four}</code>
          </Cell>
          <Cell>{t(token.role)}</Cell>
          <Cell>
            <KeyState status={token.status} />
          </Cell>
          <Cell>
            <Moment at={token.created_at} />
          </Cell>
          <Cell>
            <ActorName actor={token.created_by} />
          </Cell>
          <Cell>
            <Moment at={token.expires_at} />
          </Cell>
          <Cell isNumber>
            {token.status === 'active' && may('revokeAdminToken') && (
              <Button look="danger" onClick={() => onRevoke(token)}>
                {t('revoke')}
              </Button>
            )}
          </Cell>
        </tr>
      ))}
    </Table>
  )
}
