import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { problemText } from '../../text/problems.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Choice } from '../../ui/forms/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PassOnLink } from '../links/pass-on-link.tsx'

export interface InviteProps {
  readonly accountId: string
  readonly onClose: () => void
}

/** Makes a link, shown once: no mail is sent, whoever invites passes it on. */
export function Invite({ accountId, onClose }: InviteProps) {
  const [role, setRole] = useState<'member' | 'owner'>('member')
  const invite = useChange('inviteMember')
  if (invite.data !== undefined) return <PassOnLink issued={invite.data} onClose={onClose} />
  return (
    <Dialog title={t('invite')} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p className="text-sm">{t('inviteText')}</p>
        <Choice
          label={t('role')}
          value={role}
          options={[
            ['member', t('roleMember')],
            ['owner', t('roleOwner')],
          ]}
          onChoose={setRole}
        />
        {invite.error !== null && <Notice look="bad">{problemText(invite.error)}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            look="main"
            disabled={invite.isPending}
            onClick={() => invite.mutate({ account_id: accountId, role })}
          >
            {t('makeLink')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
