import { useQuery } from '@tanstack/react-query'
import { ask, useChange } from '../../api/queries.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Card } from '../../ui/card.tsx'
import { OpenLinkTable } from '../links/open-link-table.tsx'

/** Links that can still be used. */
export function Invitations({ accountId: account_id }: { readonly accountId: string }) {
  const query = useQuery(ask('listAccountInvitations', { account_id }))
  const revoke = useChange('revokeAccountInvitation')
  return (
    <Card title={t('openInvitations')}>
      <Answer query={query}>
        {(links) => (
          <OpenLinkTable
            links={links}
            columns={[[t('role'), ({ role }) => t(role)]]}
            revoke={revoke}
            inputOf={({ invitation_id }) => ({ account_id, invitation_id })}
          />
        )}
      </Answer>
    </Card>
  )
}
