import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAdminMaking } from '../../../api/admin.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Form, FormProblem } from '../../../ui/forms/form.tsx'
import { t } from '../operator-text.ts'
import { SpendPolicyChoice } from '../spend-policy-choice.tsx'

/** Asks for what an account has from the beginning, then leads to it. */
export function OpenAccount({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [externalId, setExternalId] = useState('')
  const [policy, setPolicy] = useState<'standard' | 'strict'>('standard')
  const open = useAdminMaking('openAccount')
  const navigate = useNavigate()
  const asked = { name, spend_policy: policy, external_id: externalId === '' ? null : externalId }
  return (
    <Dialog title={t('openAccount')} onClose={onClose}>
      <Form
        error={open.error}
        onSubmit={() => {
          open.mutate(asked, {
            onSuccess: ({ account_id: accountId }) =>
              navigate({ to: '/operator/accounts/$accountId', params: { accountId } }),
          })
        }}
      >
        <Field
          label={t('name')}
          name="name"
          required
          autoFocus
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Field
          label={t('externalId')}
          name="external_id"
          hint={t('externalIdHint')}
          maxLength={200}
          value={externalId}
          onChange={({ target }) => setExternalId(target.value)}
        />
        <SpendPolicyChoice policy={policy} onChoose={setPolicy} />
        <FormProblem />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="main" type="submit" disabled={open.isPending}>
            {t('openAccount')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
