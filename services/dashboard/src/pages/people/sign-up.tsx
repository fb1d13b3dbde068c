import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useSessionChange } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Form, FormProblem } from '../../ui/forms/form.tsx'
import { NarrowPage } from './narrow-page.tsx'
import { NewUserFields, nobody } from './new-user-fields.tsx'

/** A new user with an account of their own, where the operator has opened that. */
export function SignUp() {
  const { sign_up: policy } = useSession()
  const [user, setUser] = useState(nobody)
  const [accountName, setAccountName] = useState('')
  const signUp = useSessionChange('signUp')
  const navigate = useNavigate()
  if (policy !== 'open') {
    return (
      <NarrowPage title={t('signUp')}>
        <p>{t('byLink')}</p>
      </NarrowPage>
    )
  }
  const { email, password, displayName: display_name } = user
  return (
    <NarrowPage title={t('signUp')}>
      <Form
        error={signUp.error}
        onSubmit={() => {
          const input = { email, password, display_name, account_name: accountName }
          signUp.mutate(input, { onSuccess: () => navigate({ to: '/' }) })
        }}
      >
        <NewUserFields user={user} onChange={setUser} />
        <Field
          label={t('accountName')}
          name="account_name"
          hint={t('accountNameHint')}
          required
          maxLength={200}
          value={accountName}
          onChange={({ target }) => setAccountName(target.value)}
        />
        <FormProblem />
        <Button look="main" type="submit" disabled={signUp.isPending}>
          {t('signUp')}
        </Button>
      </Form>
    </NarrowPage>
  )
}
