import type { ReactNode } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { problemText } from '../../text/problems.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ActionTable, type ActionTableProps } from '../action-table.tsx'

interface OpenLink {
  readonly invitation_id: string
  readonly created_at: string
  readonly expires_at: string
}

export interface OpenLinkTableProps<Link extends OpenLink> {
  readonly links: readonly Link[]
  /** What a link opens; when it was made and ends comes behind. */
  readonly columns: ActionTableProps<Link>['columns']
  /** Absent for who may not. */
  readonly onRevoke?: ((link: Link) => void) | undefined
  readonly revoking: { readonly error: ApiError | null; readonly isPending: boolean }
}

/** Links for people that can still be used, and the way to make one useless. */
export function OpenLinkTable<Link extends OpenLink>(props: OpenLinkTableProps<Link>): ReactNode {
  const { links, columns, onRevoke, revoking } = props
  return (
    <>
      {revoking.error !== null && <Notice look="bad">{problemText(revoking.error)}</Notice>}
      {links.length === 0 && <p className="text-sm text-soft">{t('noInvitations')}</p>}
      {links.length > 0 && (
        <ActionTable
          label={t('openInvitations')}
          columns={[
            ...columns,
            [t('created'), ({ created_at: at }) => <Moment at={at} />],
            [t('expires'), ({ expires_at: at }) => <Moment at={at} />],
          ]}
          rows={links}
          keyOf={({ invitation_id: id }) => id}
          actions={(link) =>
            onRevoke !== undefined && (
              <Button look="danger" disabled={revoking.isPending} onClick={() => onRevoke(link)}>
                {t('revoke')}
              </Button>
            )
          }
        />
      )}
    </>
  )
}
