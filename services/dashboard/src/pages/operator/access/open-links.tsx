import type { OperationOutput } from '@svc/contracts/admin/operations'
import { useQuery } from '@tanstack/react-query'
import { askAdmin, useAdminChange, useMay } from '../../../api/admin.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Card } from '../../../ui/card.tsx'
import { GivenName } from '../../../ui/given-name.tsx'
import { OpenLinkTable } from '../../links/open-link-table.tsx'
import { ActorName } from '../events/actor-name.tsx'
import { t } from '../operator-text.ts'

type Link = OperationOutput<'listInvitations'>[number]

/** Links that can still be used. */
export function OpenLinks() {
  const may = useMay()
  const query = useQuery(askAdmin('listInvitations', {}))
  const { data: users = [] } = useQuery(askAdmin('listUsers', {}))
  const mayRevoke = ({ platform_role: role, user_id: id }: Link) => {
    const user = users.find(({ user_id: each }) => each === id)
    const isOfRunning = (role ?? user?.platform_role ?? null) !== null
    // Only an owner changes who runs the service.
    return may('revokeInvitation') && (!isOfRunning || may('setUserRole'))
  }
  const revoke = useAdminChange('revokeInvitation')
  return (
    <Card title={t('openInvitations')}>
      <Answer query={query}>
        {(links) => (
          <OpenLinkTable
            links={links}
            columns={[
              [t('role'), (link) => <Opened link={link} />],
              [t('account'), (link) => <Membership link={link} />],
              [t('madeBy'), (link) => <ActorName actor={link.created_by} />],
            ]}
            revoke={revoke}
            inputOf={(link) =>
              mayRevoke(link) ? { invitation_id: link.invitation_id } : undefined
            }
          />
        )}
      </Answer>
    </Card>
  )
}

/** Whose password a link sets, or the part that it gives in the running of the service. */
function Opened({ link: { user_id: id, platform_role: role } }: { readonly link: Link }) {
  const { data: users = [] } = useQuery(askAdmin('listUsers', {}))
  if (id === null) return t(role ?? 'customer')
  const user = users.find(({ user_id: each }) => each === id)
  return (
    <>
      {t('resetLink')}
      <GivenName name={user?.display_name ?? user?.email ?? id} />
    </>
  )
}

function Membership({ link: { account_id: id, account_role: role } }: { readonly link: Link }) {
  if (id === null) return '–'
  return (
    <>
      <code className="block text-xs">{id}</code>
      {role !== null && t(role)}
    </>
  )
}
