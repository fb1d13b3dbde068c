import type { UserDetails } from '@svc/contracts/admin/users'
import { useAdminChange } from '../../../api/admin.ts'
import { problemText } from '../../../text/problems.ts'
import { t } from '../../../text/translate.ts'
import { Notice } from '../../../ui/notice.tsx'

const roles = ['auditor', 'operator', 'owner'] as const

/** What part somebody has in the running of the service, to be changed by an owner. */
export function UserRole({ user }: { readonly user: UserDetails }) {
  const set = useAdminChange('setUserRole')
  return (
    <>
      <select
        aria-label={t('roleOf', { name: user.display_name ?? user.user_id })}
        className="min-h-9 rounded-md border border-edge bg-paper px-2"
        disabled={set.isPending}
        value={user.platform_role ?? ''}
        onChange={({ target }) => {
          const role = roles.find((each) => each === target.value) ?? null
          set.mutate({ user_id: user.user_id, platform_role: role })
        }}
      >
        <option value="">{t('customer')}</option>
        {roles.map((role) => (
          <option key={role} value={role}>
            {t(role)}
          </option>
        ))}
      </select>
      {set.error !== null && <Notice look="bad">{problemText(set.error)}</Notice>}
    </>
  )
}
