import { Link, useNavigate } from '@tanstack/react-router'
import { useSessionChange } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { t } from '../text/translate.ts'
import { Button } from '../ui/button.tsx'
import { ThemeChoice } from './theme-choice.tsx'

/** Shows who runs the service, who is signed in, and the way out. */
export function Header() {
  const { branding, user, platform_role: platformRole } = useSession()
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2">
      <Link to="/" className="flex min-w-0 items-center gap-2 font-semibold text-ink no-underline">
        {branding.logo !== null && <img src={branding.logo} alt="" className="max-h-7" />}
        <span className="truncate">{branding.name}</span>
      </Link>
      <nav aria-label={t('areas')} className="ml-auto flex flex-wrap items-center gap-x-4 text-sm">
        {platformRole !== null && <Link to="/operator/accounts">{t('operatorArea')}</Link>}
        <Link to="/prices">{t('prices')}</Link>
        <ThemeChoice />
        {user === null ? (
          <Link to="/sign-in">{t('signIn')}</Link>
        ) : (
          <SignedIn name={user.display_name} />
        )}
      </nav>
    </header>
  )
}

function SignedIn({ name }: { readonly name: string }) {
  const signOut = useSessionChange('signOut')
  const navigate = useNavigate()
  return (
    <>
      <Link to="/profile" dir="auto" title={name} className="max-w-40 truncate">
        {name}
      </Link>
      <Button
        look="bare"
        disabled={signOut.isPending}
        onClick={() =>
          // The header is in no page any more when the session ends, and `mutate` would not call
          // back then.
          signOut.mutateAsync({}).then(
            () => navigate({ to: '/sign-in' }),
            () => {},
          )
        }
      >
        {t('signOut')}
      </Button>
    </>
  )
}
