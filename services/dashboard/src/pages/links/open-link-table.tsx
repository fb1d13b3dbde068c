import { type ReactNode, useState } from 'react'
import { momentText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Moment } from '../../ui/moment.tsx'
import { ActionTable, type ActionTableProps } from '../action-table.tsx'
import { ConfirmedChange, type ConfirmedChangeProps } from '../confirmed-change.tsx'

interface OpenLink {
  readonly invitation_id: string
  readonly created_at: string
  readonly expires_at: string
}

export interface OpenLinkTableProps<Link extends OpenLink, Input> {
  readonly links: readonly Link[]
  /** What a link opens; when it was made and ends comes behind. */
  readonly columns: ActionTableProps<Link>['columns']
  readonly revoke: ConfirmedChangeProps<Input>['change']
  /** What is sent to revoke a link; undefined for who may not. */
  readonly inputOf: (link: Link) => Input | undefined
}

/** Links for people that can still be used, and the way to make one useless. */
export function OpenLinkTable<Link extends OpenLink, Input>(
  props: OpenLinkTableProps<Link, Input>,
): ReactNode {
  const { links, columns, revoke, inputOf } = props
  const [asked, setAsked] = useState<Link>()
  const input = asked && inputOf(asked)
  return (
    <>
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
            inputOf(link) !== undefined && (
              <Button look="danger" onClick={() => setAsked(link)}>
                {t('revoke')}
              </Button>
            )
          }
        />
      )}
      {asked !== undefined && input !== undefined && (
        <ConfirmedChange
          title={t('revokeLinkTitle', { time: momentText(asked.created_at) })}
          effect={t('revokeLinkEffect')}
          confirm={t('revoke')}
          change={revoke}
          input={input}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}
