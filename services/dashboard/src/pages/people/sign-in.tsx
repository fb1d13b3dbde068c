import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useSession } from '../../api/session.ts'
import { t } from '../../text/translate.ts'
import { NarrowPage } from './narrow-page.tsx'
import { OtherWays } from './other-ways.tsx'
import { SignInForm } from './sign-in-form.tsx'

const route = getRouteApi('/sign-in')

/** Signs in those who have a password, and leads them back to where they wanted to go. */
export function SignIn() {
  const { user, sign_up: policy } = useSession()
  const { to } = route.useSearch()
  const { history, basepath } = useRouter()
  const isSignedIn = user !== null
  // In the place of this page: who goes back from there means the page before the sign-in. It is
  // so too for who comes here with a session, such as one of another tab.
  useEffect(() => {
    if (isSignedIn) history.replace(to ?? `${basepath}/`)
  }, [isSignedIn, history, to, basepath])
  if (isSignedIn) return null
  return (
    <NarrowPage title={t('signIn')}>
      <OtherWays to={to} />
      <SignInForm />
      {policy === 'open' && (
        <p className="text-sm">
          {t('noAccountYet')} <Link to="/sign-up">{t('signUp')}</Link>
        </p>
      )}
      <p className="text-sm text-soft">{t(policy === 'open' ? 'lostPassword' : 'byLink')}</p>
    </NarrowPage>
  )
}
