import { useState } from 'react'
import { useSessionChange } from '../../api/queries.ts'
import { problemText } from '../../text/problems.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'

/** E-mail and password. */
export function SignInForm({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useSessionChange('signIn')
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        signIn.mutate({ email, password }, { onSuccess: onSignedIn })
      }}
    >
      <Field
        label={t('email')}
        type="email"
        autoComplete="username"
        required
        value={email}
        onChange={({ target }) => setEmail(target.value)}
      />
      <Field
        label={t('password')}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={({ target }) => setPassword(target.value)}
      />
      {signIn.error !== null && <Notice look="bad">{problemText(signIn.error)}</Notice>}
      <Button look="main" type="submit" disabled={signIn.isPending}>
        {t('signIn')}
      </Button>
    </form>
  )
}
