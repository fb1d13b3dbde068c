import { getRouteApi, Link, Navigate, useRouter } from '@tanstack/react-router'
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
  if (user !== null && to === undefined) return <Navigate to="/" replace />
  const goOn = () => history.push(to === undefined ? `${basepath}/` : to)
  return (
    <NarrowPage title={t('signIn')}>
      <OtherWays onSignedIn={goOn} to={to} />
      <SignInForm onSignedIn={goOn} />
      {policy === 'open' && (
        <p className="text-sm">
          {t('noAccountYet')} <Link to="/sign-up">{t('signUp')}</Link>
        </p>
      )}
      <p className="text-sm text-soft">{t(policy === 'open' ? 'lostPassword' : 'byLink')}</p>
    </NarrowPage>
  )
}
