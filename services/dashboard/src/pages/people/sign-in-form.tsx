import { useState } from 'react'
import { useSessionChange } from '../../api/queries.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Form, FormProblem } from '../../ui/forms/form.tsx'

/** E-mail and password. Whoever shows it learns of the sign-in by the session. */
export function SignInForm() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useSessionChange('signIn')
  return (
    <Form error={signIn.error} onSubmit={() => signIn.mutate({ email, password })}>
      <Field
        label={t('email')}
        name="email"
        type="email"
        autoComplete="username"
        required
        value={email}
        onChange={({ target }) => setEmail(target.value)}
      />
      <Field
        label={t('password')}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={({ target }) => setPassword(target.value)}
      />
      <FormProblem />
      <Button look="main" type="submit" disabled={signIn.isPending}>
        {t('signIn')}
      </Button>
    </Form>
  )
}
