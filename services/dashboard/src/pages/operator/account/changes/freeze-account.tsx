import { callAdmin } from '../../../../api/admin.ts'
import { t } from '../../operator-text.ts'
import { ReasonedChange } from '../../reasoned-change.tsx'
import type { AccountDialogProps } from './account-dialog.ts'

/** No request any more, until it is taken back. */
export function FreezeAccount({ account, onClose }: AccountDialogProps) {
  return (
    <ReasonedChange
      title={t('freezeTitle', { name: account.name })}
      effect={t('freezeEffect')}
      confirm={t('freeze')}
      isDangerous
      change={(asked) => callAdmin('freezeAccount', { account_id: account.account_id, ...asked })}
      onClose={onClose}
    />
  )
}

/** Requests again. */
export function UnfreezeAccount({ account, onClose }: AccountDialogProps) {
  return (
    <ReasonedChange
      title={t('unfreezeTitle', { name: account.name })}
      effect={t('unfreezeEffect')}
      confirm={t('unfreeze')}
      change={(asked) => callAdmin('unfreezeAccount', { account_id: account.account_id, ...asked })}
      onClose={onClose}
    />
  )
}
