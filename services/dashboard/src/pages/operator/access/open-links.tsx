import { useQuery } from '@tanstack/react-query'
import { askAdmin, useAdminChange, useMay } from '../../../api/admin.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Card } from '../../../ui/card.tsx'
import { OpenLinkTable } from '../../links/open-link-table.tsx'
import { t } from '../operator-text.ts'

/** Links that can still be used. */
export function OpenLinks() {
  const may = useMay()
  const query = useQuery(askAdmin('listInvitations', {}))
  const revoke = useAdminChange('revokeInvitation')
  return (
    <Card title={t('openInvitations')}>
      <Answer query={query}>
        {(links) => (
          <OpenLinkTable
            links={links}
            columns={[
              [
                t('role'),
                ({ platform_role: platform, account_role: role }) =>
                  t(platform ?? role ?? 'customer'),
              ],
              [t('account'), ({ account_id: id }) => <code className="text-xs">{id ?? '–'}</code>],
            ]}
            revoke={revoke}
            inputOf={
              may('revokeInvitation') ? ({ invitation_id }) => ({ invitation_id }) : undefined
            }
          />
        )}
      </Answer>
    </Card>
  )
}
