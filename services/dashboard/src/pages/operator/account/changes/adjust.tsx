import { useState } from 'react'
import { callAdmin } from '../../../../api/admin.ts'
import { Field } from '../../../../ui/forms/field.tsx'
import { t } from '../../operator-text.ts'
import { ReviewedChange } from '../../reviewed-change.tsx'
import type { AccountDialogProps } from './account-dialog.ts'

/** A balance changed by an amount, up or down: never set to one. */
export function Adjust({ account, onClose }: AccountDialogProps) {
  const [amount, setAmount] = useState('')
  const [reference, setReference] = useState('')
  const about = {
    account_id: account.account_id,
    amount,
    reference: reference === '' ? null : reference,
  }
  return (
    <ReviewedChange
      title={t('adjustTitle')}
      effect={t('adjustEffect')}
      confirm={t('adjust')}
      about={about}
      change={(asked) => callAdmin('adjust', { ...about, ...asked })}
      onClose={onClose}
    >
      <Field
        label={t('amountDollars')}
        name="amount"
        hint={t('adjustHint')}
        required
        autoFocus
        value={amount}
        onChange={({ target }) => setAmount(target.value.trim())}
      />
      <Field
        label={t('reference')}
        name="reference"
        hint={t('referenceHint')}
        maxLength={200}
        value={reference}
        onChange={({ target }) => setReference(target.value)}
      />
    </ReviewedChange>
  )
}
