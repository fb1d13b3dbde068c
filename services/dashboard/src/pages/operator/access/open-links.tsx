import { useQuery } from '@tanstack/react-query'
import { askAdmin, useAdminChange, useMay } from '../../../api/admin.ts'
import { problemText } from '../../../text/problems.ts'
import { t } from '../../../text/translate.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'

/** Links that can still be used. */
export function OpenLinks() {
  const may = useMay()
  const query = useQuery(askAdmin('listInvitations', {}))
  const revoke = useAdminChange('revokeInvitation')
  const head = (
    <>
      <Head>{t('role')}</Head>
      <Head>{t('account')}</Head>
      <Head>{t('created')}</Head>
      <Head>{t('expires')}</Head>
      <Head>
        <span className="sr-only">{t('actions')}</span>
      </Head>
    </>
  )
  return (
    <Card title={t('openInvitations')}>
      {revoke.error !== null && <Notice look="bad">{problemText(revoke.error)}</Notice>}
      <Answer query={query}>
        {(links) =>
          links.length === 0 ? (
            <p className="text-sm text-soft">{t('noInvitations')}</p>
          ) : (
            <Table label={t('openInvitations')} head={head}>
              {links.map((link) => (
                <tr key={link.invitation_id}>
                  <Cell>{t(link.platform_role ?? link.account_role ?? 'customer')}</Cell>
                  <Cell>
                    <code className="text-xs">{link.account_id ?? '–'}</code>
                  </Cell>
                  <Cell>
                    <Moment at={link.created_at} />
                  </Cell>
                  <Cell>
                    <Moment at={link.expires_at} />
                  </Cell>
                  <Cell isNumber>
                    {may('revokeInvitation') && (
                      <Button
                        look="danger"
                        disabled={revoke.isPending}
                        onClick={() => revoke.mutate({ invitation_id: link.invitation_id })}
                      >
                        {t('revoke')}
                      </Button>
                    )}
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
