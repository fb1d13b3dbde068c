import type { AccountDetails } from '@svc/contracts/admin/accounts'
import { Choice } from '../../ui/forms/field.tsx'
import { t } from './operator-text.ts'

type SpendPolicy = AccountDetails['spend_policy']

export interface SpendPolicyChoiceProps {
  readonly policy: SpendPolicy
  readonly onChoose: (policy: SpendPolicy) => void
}

/** How the last credit of an account is spent, to choose from. */
export function SpendPolicyChoice({ policy, onChoose }: SpendPolicyChoiceProps) {
  return (
    <Choice
      label={t('spendPolicy')}
      value={policy}
      options={[
        ['standard', t('policyStandard')],
        ['strict', t('policyStrict')],
      ]}
      onChoose={onChoose}
    />
  )
}
