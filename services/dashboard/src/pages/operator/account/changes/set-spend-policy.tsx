import { useState } from 'react'
import { callAdmin } from '../../../../api/admin.ts'
import { t } from '../../operator-text.ts'
import { ReasonedChange } from '../../reasoned-change.tsx'
import { SpendPolicyChoice } from '../../spend-policy-choice.tsx'
import type { AccountDialogProps } from './account-dialog.ts'

/** How the last credit of an account is spent from now on. */
export function SetSpendPolicy({ account, onClose }: AccountDialogProps) {
  const [policy, setPolicy] = useState(account.spend_policy)
  const about = { account_id: account.account_id, spend_policy: policy }
  return (
    <ReasonedChange
      title={t('spendPolicy')}
      effect={t('spendPolicyEffect')}
      confirm={t('save')}
      about={about}
      change={(asked) => callAdmin('setSpendPolicy', { ...about, ...asked })}
      onClose={onClose}
    >
      <SpendPolicyChoice policy={policy} onChoose={setPolicy} />
    </ReasonedChange>
  )
}
