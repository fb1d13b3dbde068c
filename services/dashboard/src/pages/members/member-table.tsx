import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { useChange } from '../../api/queries.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { useAccountRole } from '../../layout/account-role.ts'
import { problemText } from '../../text/problems.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { GivenName } from '../../ui/given-name.tsx'
import { Age } from '../../ui/moment.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Cell, Head, Table } from '../../ui/table.tsx'

type Member = DashboardOutput<'listMembers'>[number]

/** Who is in the account; owners change that. */
export function MemberTable({ members }: { readonly members: readonly Member[] }) {
  const account_id = useAccountId()
  const isOwner = useAccountRole() === 'owner'
  const setRole = useChange('setMemberRole')
  const remove = useChange('removeMember')
  const error = setRole.error ?? remove.error
  const head = (
    <>
      <Head>{t('displayNameOf')}</Head>
      <Head>{t('email')}</Head>
      <Head>{t('role')}</Head>
      <Head>{t('joined')}</Head>
      <Head>
        <span className="sr-only">{t('actions')}</span>
      </Head>
    </>
  )
  return (
    <>
      {error !== null && <Notice look="bad">{problemText(error)}</Notice>}
      <Table label={t('members')} head={head}>
        {members.map(({ user_id, display_name: name, email, role, joined_at: joinedAt }) => (
          <tr key={user_id}>
            <Cell>
              <GivenName name={name ?? t('erased')} />
            </Cell>
            <Cell>{email ?? t('erased')}</Cell>
            <Cell>{t(role)}</Cell>
            <Cell>
              <Age at={joinedAt} />
            </Cell>
            <Cell isNumber>
              {isOwner && (
                <span className="inline-flex gap-1">
                  <Button
                    look="bare"
                    onClick={() =>
                      setRole.mutate({
                        account_id,
                        user_id,
                        role: role === 'owner' ? 'member' : 'owner',
                      })
                    }
                  >
                    {t(role === 'owner' ? 'makeMember' : 'makeOwner')}
                  </Button>
                  <Button look="danger" onClick={() => remove.mutate({ account_id, user_id })}>
                    {t('remove')}
                  </Button>
                </span>
              )}
            </Cell>
          </tr>
        ))}
      </Table>
    </>
  )
}
