import type { UserDetails } from '@svc/contracts/admin/users'
import { useState } from 'react'
import { useAdminChange } from '../../../api/admin.ts'
import { ConfirmedChange } from '../../confirmed-change.tsx'
import { t } from '../operator-text.ts'

const roles = ['auditor', 'operator', 'owner'] as const

const effects = {
  customer: 'roleCustomerEffect',
  auditor: 'roleAuditorEffect',
  operator: 'roleOperatorEffect',
  owner: 'rolePlatformOwnerEffect',
} as const

/** What part somebody has in the running of the service, to be changed by an owner. */
export function UserRole({ user }: { readonly user: UserDetails }) {
  const set = useAdminChange('setUserRole')
  const [chosen, setChosen] = useState<keyof typeof effects>()
  const name = user.display_name ?? user.user_id
  return (
    <>
      <select
        aria-label={t('roleOf', { name })}
        className="min-h-9 rounded-md border border-edge bg-paper px-2"
        value={chosen ?? user.platform_role ?? 'customer'}
        onChange={({ target }) =>
          setChosen(roles.find((each) => each === target.value) ?? 'customer')
        }
      >
        <option value="customer">{t('customer')}</option>
        {roles.map((role) => (
          <option key={role} value={role}>
            {t(role)}
          </option>
        ))}
      </select>
      {chosen !== undefined && (
        <ConfirmedChange
          title={t('roleTitle', { name, role: t(chosen) })}
          effect={t(effects[chosen])}
          confirm={t('changeRole')}
          change={set}
          input={{ user_id: user.user_id, platform_role: chosen === 'customer' ? null : chosen }}
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  )
}
