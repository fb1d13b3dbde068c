import { useQuery } from '@tanstack/react-query'
import { ask, useChange } from '../../api/queries.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Cell, Head, Table } from '../../ui/table.tsx'

/** Links that can still be used. */
export function Invitations({ accountId }: { readonly accountId: string }) {
  const query = useQuery(ask('listAccountInvitations', { account_id: accountId }))
  const revoke = useChange('revokeAccountInvitation')
  const head = (
    <>
      <Head>{t('role')}</Head>
      <Head>{t('created')}</Head>
      <Head>{t('expires')}</Head>
      <Head>
        <span className="sr-only">{t('actions')}</span>
      </Head>
    </>
  )
  return (
    <Card title={t('openInvitations')}>
      <Answer query={query}>
        {(invitations) =>
          invitations.length === 0 ? (
            <p className="text-sm text-soft">{t('noInvitations')}</p>
          ) : (
            <Table label={t('openInvitations')} head={head}>
              {invitations.map(({ invitation_id, role, created_at, expires_at }) => (
                <tr key={invitation_id}>
                  <Cell>{t(role)}</Cell>
                  <Cell>
                    <Moment at={created_at} />
                  </Cell>
                  <Cell>
                    <Moment at={expires_at} />
                  </Cell>
                  <Cell isNumber>
                    <Button
                      look="danger"
                      disabled={revoke.isPending}
                      onClick={() => revoke.mutate({ account_id: accountId, invitation_id })}
                    >
                      {t('revoke')}
                    </Button>
                  </Cell>
                </tr>
              ))}
            </Table>
          )
        }
      </Answer>
    </Card>
  )
}
