import { useState } from 'react'
import { useAdminChange } from '../../../api/admin.ts'
import { useSession } from '../../../api/session.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Choice, Field } from '../../../ui/forms/field.tsx'
import { Form, FormProblem } from '../../../ui/forms/form.tsx'
import { PassOnLink } from '../../links/pass-on-link.tsx'
import { t } from '../operator-text.ts'

type PlatformRole = 'auditor' | 'operator' | 'owner'

/** Makes a link for one person: into an account, or into the running of the service. */
export function InviteUser({ onClose }: { readonly onClose: () => void }) {
  const { platform_role: own } = useSession()
  const [role, setRole] = useState<PlatformRole | 'customer'>('customer')
  const [accountId, setAccountId] = useState('')
  const invite = useAdminChange('inviteUser')
  if (invite.data !== undefined) return <PassOnLink issued={invite.data} onClose={onClose} />
  const platform = own === 'owner' ? (['auditor', 'operator', 'owner'] as const) : []
  return (
    <Dialog title={t('invite')} onClose={onClose}>
      <Form
        error={invite.error}
        onSubmit={() => {
          invite.mutate({
            platform_role: role === 'customer' ? null : role,
            account_id: accountId === '' ? null : accountId,
          })
        }}
      >
        <p className="text-sm">{t('inviteText')}</p>
        <Choice
          label={t('role')}
          value={role}
          options={[
            ['customer', t('customer')],
            ...platform.map((each) => [each, t(each)] as const),
          ]}
          onChoose={setRole}
        />
        <Field
          label={t('accountId')}
          name="account_id"
          hint={t('inviteAccountHint')}
          required={role === 'customer'}
          value={accountId}
          onChange={({ target }) => setAccountId(target.value.trim())}
        />
        <FormProblem />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="main" type="submit" disabled={invite.isPending}>
            {t('makeLink')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
