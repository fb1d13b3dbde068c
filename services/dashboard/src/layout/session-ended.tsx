import { useSessionEnded } from '../api/session-end.ts'
import { OtherWays } from '../pages/people/other-ways.tsx'
import { SignInForm } from '../pages/people/sign-in-form.tsx'
import { t } from '../text/translate.ts'
import { Dialog } from '../ui/dialog.tsx'

/** Over the page that was open: behind the sign-in it goes on with all that was typed. */
export function SessionEnded() {
  if (!useSessionEnded()) return null
  return (
    <Dialog title={t('sessionEnded')} isSticky onClose={() => {}}>
      <p className="mb-4 text-sm text-soft">{t('sessionEndedText')}</p>
      <div className="flex flex-col gap-4">
        <OtherWays onSignedIn={() => {}} isInPlace />
        <SignInForm onSignedIn={() => {}} />
      </div>
    </Dialog>
  )
}
