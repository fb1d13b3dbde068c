import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { keepPlace } from '../../address/place-to-return.ts'
import type { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { useSessionChange } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Form, FormProblem } from '../../ui/forms/form.tsx'
import { Refusal } from './other-ways.tsx'
import { PasswordAgain } from './password-again.tsx'

/** Whether one can sign in by the identity provider; nothing where there is none. */
export function ProviderLink() {
  const { user, ways_in: ways } = useSession()
  const { provider_label: provider } = ways
  if (provider === null) return null
  return (
    <Card title={t('signInBy', { provider })}>
      {user?.is_linked === true ? <Unlink provider={provider} /> : <LinkForm provider={provider} />}
    </Card>
  )
}

function LinkForm({ provider }: { readonly provider: string }) {
  const [password, setPassword] = useState('')
  const { basepath } = useRouter()
  const { user } = useSession()
  const start = useMutation<DashboardOutput<'startProviderLink'>, ApiError>({
    mutationFn: () =>
      call('startProviderLink', user?.has_password === true ? { current_password: password } : {}),
    onSuccess: ({ url }) => {
      keepPlace(`${basepath}/profile`)
      window.location.assign(url)
    },
  })
  return (
    <Form
      error={start.error}
      className="flex max-w-sm flex-col gap-3 *:[button]:self-start"
      onSubmit={() => start.mutate()}
    >
      <p>{t('providerNotLinked', { provider })}</p>
      <PasswordAgain value={password} onChange={setPassword} />
      <FormProblem />
      <Button type="submit" disabled={start.isPending || start.isSuccess}>
        {t('providerLink')}
      </Button>
    </Form>
  )
}

function Unlink({ provider }: { readonly provider: string }) {
  const unlink = useSessionChange('unlinkProvider')
  return (
    <div className="flex flex-col items-start gap-3">
      <p>{t('providerLinked', { provider })}</p>
      <Refusal error={unlink.error} />
      <Button disabled={unlink.isPending} onClick={() => unlink.mutate({})}>
        {t('providerUnlink')}
      </Button>
    </div>
  )
}
