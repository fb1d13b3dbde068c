import { useState } from 'react'
import { callAdmin } from '../../../../api/admin.ts'
import { Field } from '../../../../ui/forms/field.tsx'
import { t } from '../../operator-text.ts'
import { ReasonedChange } from '../../reasoned-change.tsx'
import type { AccountDialogProps } from './account-dialog.ts'

/** Another name, from now on shown wherever the account is named. */
export function RenameAccount({ account, onClose }: AccountDialogProps) {
  const [name, setName] = useState(account.name)
  const about = { account_id: account.account_id, name }
  return (
    <ReasonedChange
      title={t('renameKey', { name: account.name })}
      effect={t('renameEffect')}
      confirm={t('save')}
      about={about}
      change={(asked) => callAdmin('renameAccount', { ...about, ...asked })}
      onClose={onClose}
    >
      <Field
        label={t('name')}
        required
        autoFocus
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
    </ReasonedChange>
  )
}
