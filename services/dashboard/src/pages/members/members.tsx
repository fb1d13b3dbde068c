import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { useAccountRole } from '../../layout/account-role.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Invitations } from './invitations.tsx'
import { Invite } from './invite.tsx'
import { MemberTable } from './member-table.tsx'

/** The people of an account, and the links that let others in. */
export function Members() {
  const accountId = useAccountId()
  const isOwner = useAccountRole() === 'owner'
  const isClosed = useSession().sign_up === 'closed'
  const [isInviting, setInviting] = useState(false)
  const query = useQuery(ask('listMembers', { account_id: accountId }))
  const invite = isOwner && !isClosed && (
    <Button look="main" onClick={() => setInviting(true)}>
      {t('invite')}
    </Button>
  )
  return (
    <Page title={t('members')} action={invite}>
      <Card>
        <Answer query={query}>{(members) => <MemberTable members={members} />}</Answer>
      </Card>
      {isOwner && isClosed && <p className="text-soft">{t('inviteClosed')}</p>}
      {isOwner && <Invitations accountId={accountId} />}
      {isInviting && <Invite accountId={accountId} onClose={() => setInviting(false)} />}
    </Page>
  )
}
