import { useMutation } from '@tanstack/react-query'
import { keepPlace } from '../../address/place-to-return.ts'
import { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { useSessionChange } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { problemText } from '../../text/problems.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

export interface OtherWaysProps {
  /**
   * The address to which a sign-in at the identity provider leads; undefined for the first page.
   */
  readonly to?: string | undefined
  /** Leaves the identity provider out, because the browser would leave this page for it. */
  readonly isInPlace?: boolean
}

/** Ways to sign in without a password, as far as there are any here. */
export function OtherWays({ to, isInPlace = false }: OtherWaysProps) {
  const { ways_in: ways } = useSession()
  const provider = isInPlace ? null : ways.provider_label
  if (provider === null && !ways.passkeys && ways.proxy_email === null) return null
  return (
    <div className="flex flex-col gap-3">
      {ways.proxy_email !== null && <ByProxy email={ways.proxy_email} />}
      {provider !== null && (
        <ByProvider text={t('signInBy', { provider })} to={to} linkSecret={undefined} />
      )}
      {ways.passkeys && <ByPasskey />}
      <p className="text-center text-sm text-soft">{t('orByPassword')}</p>
    </div>
  )
}

export interface ByProviderProps {
  readonly text: string
  readonly to: string | undefined
  /** The secret of an invitation that the sign-in accepts. */
  readonly linkSecret: string | undefined
}

export function ByProvider({ text, to, linkSecret }: ByProviderProps) {
  const start = useMutation({
    mutationFn: () =>
      call('startProviderSignIn', linkSecret === undefined ? {} : { link_secret: linkSecret }),
    onSuccess: ({ url }) => {
      keepPlace(to)
      window.location.assign(url)
    },
  })
  return (
    <>
      <Button disabled={start.isPending || start.isSuccess} onClick={() => start.mutate()}>
        {text}
      </Button>
      <Refusal error={start.error} />
    </>
  )
}

function ByPasskey() {
  const { mutateAsync: finish } = useSessionChange('signInByPasskey')
  const signIn = useMutation({
    mutationFn: async () => {
      const [{ signedByPasskey }, asked] = await Promise.all([
        import('../../api/passkeys.ts'),
        call('startPasskeySignIn', {}),
      ])
      return finish({ credential: await signedByPasskey(asked) })
    },
  })
  return (
    <>
      <Button disabled={signIn.isPending} onClick={() => signIn.mutate()}>
        {t('signInByPasskey')}
      </Button>
      <Refusal error={signIn.error} />
    </>
  )
}

function ByProxy({ email }: { readonly email: string }) {
  const signIn = useSessionChange('signInByProxy')
  return (
    <>
      <Button look="main" disabled={signIn.isPending} onClick={() => signIn.mutate({})}>
        {t('continueAs', { email })}
      </Button>
      <Refusal error={signIn.error} />
    </>
  )
}

/** What the server said, for a {@link Form}; null when it was the browser that refused. */
export function refusalBy(error: Error | null): ApiError | null {
  return error instanceof ApiError ? error : null
}

/** What a browser says of a passkey is in words for engineers. */
export function Refusal({ error }: { readonly error: Error | null }) {
  if (error === null) return null
  const text = error instanceof ApiError ? problemText(error) : t('passkeyNotUsed')
  return <Notice look="bad">{text}</Notice>
}
