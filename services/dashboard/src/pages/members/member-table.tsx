import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { useAccountRole } from '../../layout/account-role.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { GivenName } from '../../ui/given-name.tsx'
import { Age } from '../../ui/moment.tsx'
import { Cell, Head, Table } from '../../ui/table.tsx'
import { ConfirmedChange } from '../confirmed-change.tsx'

type Member = DashboardOutput<'listMembers'>[number]

/** Shows who is in the account. Owners can change that. */
export function MemberTable({ members }: { readonly members: readonly Member[] }) {
  const isOwner = useAccountRole() === 'owner'
  const [asked, setAsked] = useState<Asked>()
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
      <Table label={t('members')} head={head}>
        {members.map((member) => (
          <tr key={member.user_id}>
            <Cell>
              <GivenName name={member.display_name ?? t('erased')} />
            </Cell>
            <Cell>{member.email ?? t('erased')}</Cell>
            <Cell>{t(member.role)}</Cell>
            <Cell>
              <Age at={member.joined_at} />
            </Cell>
            <Cell isNumber>{isOwner && <MemberActions member={member} onAsk={setAsked} />}</Cell>
          </tr>
        ))}
      </Table>
      {asked !== undefined && <AskedOfMember {...asked} onClose={() => setAsked(undefined)} />}
    </>
  )
}

const effects = {
  makeMember: 'roleMember',
  makeOwner: 'roleOwner',
  removeMember: 'removeMemberEffect',
} as const

/** What was pressed, of whom, and is not confirmed yet. */
interface Asked {
  readonly member: Member
  readonly what: 'makeMember' | 'makeOwner' | 'removeMember'
}

interface MemberActionsProps {
  readonly member: Member
  readonly onAsk: (asked: Asked) => void
}

function MemberActions({ member, onAsk }: MemberActionsProps) {
  const otherRole = member.role === 'owner' ? 'makeMember' : 'makeOwner'
  return (
    <span className="inline-flex gap-1">
      <Button look="bare" onClick={() => onAsk({ member, what: otherRole })}>
        {t(otherRole)}
      </Button>
      <Button look="danger" onClick={() => onAsk({ member, what: 'removeMember' })}>
        {t('remove')}
      </Button>
    </span>
  )
}

function AskedOfMember({ member, what, onClose }: Asked & { readonly onClose: () => void }) {
  const account_id = useAccountId()
  const setRole = useChange('setMemberRole')
  const remove = useChange('removeMember')
  const { user_id, display_name: name } = member
  const texts = {
    title: t(`${what}Title`, { name: name ?? user_id }),
    effect: t(effects[what]),
    onClose,
  }
  if (what === 'removeMember') {
    const input = { account_id, user_id }
    return <ConfirmedChange {...texts} confirm={t('remove')} change={remove} input={input} />
  }
  const role = what === 'makeOwner' ? 'owner' : 'member'
  const input = { account_id, user_id, role } as const
  return <ConfirmedChange {...texts} confirm={t(what)} change={setRole} input={input} />
}
