import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { sessionQuery } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { noteSignedIn, useSessionEnded } from '../api/session-end.ts'
import { OtherWays } from '../pages/people/other-ways.tsx'
import { SignInForm } from '../pages/people/sign-in-form.tsx'
import { t } from '../text/translate.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'

/** Over the page that was open: behind the sign-in it goes on with all that was typed. */
export function SessionEnded() {
  if (!useSessionEnded()) return null
  return (
    <Dialog title={t('sessionEnded')} isSticky onClose={() => {}}>
      <p className="mb-4 text-sm text-soft">{t('sessionEndedText')}</p>
      <div className="flex flex-col gap-4">
        <InAnotherTab />
        <OtherWays isInPlace />
        <SignInForm />
      </div>
    </Dialog>
  )
}

/**
 * Leads those who sign in by the identity provider to another tab, because doing so here would
 * leave the page.
 */
function InAnotherTab() {
  const { provider_label: provider } = useSession().ways_in
  const { basepath } = useRouter()
  const client = useQueryClient()
  const look = useMutation({
    mutationFn: async () => {
      const session = await call('session', {})
      // The page behind must not learn of it: the forms of who is signed in would go.
      if (session.user === null) throw new Error('nobody is signed in')
      noteSignedIn()
      client.setQueryData(sessionQuery.queryKey, session)
      await client.invalidateQueries()
    },
  })
  if (provider === null) return null
  return (
    <div className="flex flex-col gap-3">
      <a
        href={`${basepath}/sign-in`}
        target="_blank"
        rel="noreferrer"
        className={buttonClass('plain')}
      >
        {t('signInElsewhere', { provider })}
      </a>
      <Button disabled={look.isPending} onClick={() => look.mutate()}>
        {t('signedInElsewhere')}
      </Button>
      {look.isError && <Notice look="bad">{t('signedOut')}</Notice>}
    </div>
  )
}
