import { useState } from 'react'
import { callAdmin } from '../../../../api/admin.ts'
import { Choice } from '../../../../ui/forms/field.tsx'
import { t } from '../../operator-text.ts'
import { ReviewedChange } from '../../reviewed-change.tsx'
import type { AccountDialogProps } from './account-dialog.ts'

/** The end of an account; what becomes of its balance is said with it. */
export function CloseAccount({ account, onClose }: AccountDialogProps) {
  const [remainder, setRemainder] = useState<'none' | 'written_off' | 'paid_out'>('none')
  const about = { account_id: account.account_id, remainder }
  return (
    <ReviewedChange
      title={t('closeTitle', { name: account.name })}
      effect={t('closeEffect')}
      confirm={t('closeAccount')}
      isDangerous
      about={about}
      change={(asked) => callAdmin('closeAccount', { ...about, ...asked })}
      onClose={onClose}
    >
      <Choice
        label={t('remainder')}
        value={remainder}
        options={[
          ['none', t('remainderNone')],
          ['written_off', t('remainderWrittenOff')],
          ['paid_out', t('remainderPaidOut')],
        ]}
        onChoose={setRemainder}
      />
    </ReviewedChange>
  )
}
