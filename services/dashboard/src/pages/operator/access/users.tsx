import type { UserDetails } from '@svc/contracts/admin/users'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { askAdmin, useAdminChange, useMay } from '../../../api/admin.ts'
import { useSession } from '../../../api/session.ts'
import { problemText } from '../../../text/problems.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Badge, type BadgeLook } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { GivenName } from '../../../ui/given-name.tsx'
import { Age } from '../../../ui/moment.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { ConfirmedChange } from '../../confirmed-change.tsx'
import { PassOnLink } from '../../links/pass-on-link.tsx'
import { type PlainName, t } from '../operator-text.ts'
import { InviteUser } from './invite-user.tsx'
import { UserRole } from './user-role.tsx'

const states: Readonly<Record<UserDetails['status'], readonly [PlainName, BadgeLook]>> = {
  active: ['userActive', 'good'],
  disabled: ['userDisabled', 'warn'],
  erased: ['userErased', 'plain'],
}

/** The people of the dashboard, and the way to let more of them in. */
export function Users() {
  const may = useMay()
  const [isInviting, setInviting] = useState(false)
  const query = useQuery(askAdmin('listUsers', {}))
  const invite = may('inviteUser') && (
    <Button look="main" onClick={() => setInviting(true)}>
      {t('invite')}
    </Button>
  )
  return (
    <Card title={t('users')} action={invite}>
      <Answer query={query}>{(users) => <UserTable users={users} />}</Answer>
      {isInviting && <InviteUser onClose={() => setInviting(false)} />}
    </Card>
  )
}

function UserTable({ users }: { readonly users: readonly UserDetails[] }) {
  const reset = useAdminChange('createResetLink')
  const may = useMay()
  const { user: self } = useSession()
  const [asked, setAsked] = useState<AskedOf>()
  const isOther = ({ user_id: id, status }: UserDetails) =>
    status !== 'erased' && id !== self?.user_id
  return (
    <>
      {reset.error !== null && <Notice look="bad">{problemText(reset.error)}</Notice>}
      <Table label={t('users')} head={<UserHead />}>
        {users.map((user) => (
          <tr key={user.user_id} className="hover:bg-panel" data-row>
            <Cell>
              <GivenName name={user.display_name ?? t('erased')} />
            </Cell>
            <Cell>{user.email ?? t('erased')}</Cell>
            <Cell>
              <Badge text={t(states[user.status][0])} look={states[user.status][1]} />
            </Cell>
            <Cell>
              {isOther(user) && may('setUserRole') ? (
                <UserRole user={user} />
              ) : (
                <span className="whitespace-nowrap">{t(user.platform_role ?? 'customer')}</span>
              )}
            </Cell>
            <Cell isNumber>{user.accounts.length}</Cell>
            <Cell>
              <Age at={user.joined_at} />
            </Cell>
            <Cell isNumber>
              {isOther(user) && (
                <UserActions
                  user={user}
                  onErase={() => setAsked({ user, what: 'erase' })}
                  onReset={() => reset.mutate({ user_id: user.user_id })}
                  onStatus={(what) => setAsked({ user, what })}
                />
              )}
            </Cell>
          </tr>
        ))}
      </Table>
      {asked !== undefined && <AskedOfUser {...asked} onClose={() => setAsked(undefined)} />}
      {reset.data !== undefined && <PassOnLink issued={reset.data} onClose={reset.reset} />}
    </>
  )
}

/** What was pressed, of whom, and is not confirmed yet. */
interface AskedOf {
  readonly user: UserDetails
  readonly what: 'erase' | 'disable' | 'enable'
}

function AskedOfUser({ user, what, onClose }: AskedOf & { readonly onClose: () => void }) {
  const erase = useAdminChange('eraseUser')
  const setStatus = useAdminChange('setUserStatus')
  const { user_id, display_name: name } = user
  const texts = {
    title: t(`${what}Title`, { name: name ?? user_id }),
    effect: t(`${what}Effect`),
    confirm: t(what),
    onClose,
  }
  if (what === 'erase') return <ConfirmedChange {...texts} change={erase} input={{ user_id }} />
  const input = { user_id, status: what === 'disable' ? 'disabled' : 'active' } as const
  return <ConfirmedChange {...texts} change={setStatus} input={input} />
}

interface UserActionsProps {
  readonly user: UserDetails
  readonly onReset: () => void
  readonly onErase: () => void
  readonly onStatus: (what: 'disable' | 'enable') => void
}

/** Offers what can be done to other users. Nobody shuts themselves out. */
function UserActions({ user, onReset, onErase, onStatus }: UserActionsProps) {
  const may = useMay()
  const isActive = user.status === 'active'
  // Only an owner changes who runs the service.
  const mayChange = user.platform_role === null || may('setUserRole')
  return (
    <span className="inline-flex gap-1">
      {isActive && mayChange && may('createResetLink') && (
        <Button look="bare" onClick={onReset}>
          {t('resetLink')}
        </Button>
      )}
      {mayChange && may('setUserStatus') && (
        <Button
          look={isActive ? 'danger' : 'plain'}
          onClick={() => onStatus(isActive ? 'disable' : 'enable')}
        >
          {t(isActive ? 'disable' : 'enable')}
        </Button>
      )}
      {may('eraseUser') && (
        <Button look="danger" onClick={onErase}>
          {t('erase')}
        </Button>
      )}
    </span>
  )
}

function UserHead() {
  return (
    <>
      <Head>{t('displayNameOf')}</Head>
      <Head>{t('email')}</Head>
      <Head>{t('status')}</Head>
      <Head>{t('role')}</Head>
      <Head isNumber>{t('accounts')}</Head>
      <Head>{t('joined')}</Head>
      <Head>
        <span className="sr-only">{t('actions')}</span>
      </Head>
    </>
  )
}
