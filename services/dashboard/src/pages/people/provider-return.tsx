import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { takePlace } from '../../address/place-to-return.ts'
import { useSessionChange } from '../../api/queries.ts'
import { problemText } from '../../text/problems.ts'
import { t } from '../../text/translate.ts'
import { Notice } from '../../ui/notice.tsx'
import { NarrowPage } from './narrow-page.tsx'

const route = getRouteApi('/sign-in/return')

/** Stands where an identity provider sends the browser back to, and passes on once what it says. */
export function ProviderReturn() {
  const answer = route.useLoaderData()
  const { mutate, error } = useSessionChange('finishProviderSignIn')
  const { history, basepath } = useRouter()
  const hasBegun = useRef(false)
  useEffect(() => {
    if (hasBegun.current) return
    hasBegun.current = true
    // The next page replaces this address, because its code opens nothing any more.
    const goOn = () => history.replace(takePlace() ?? `${basepath}/`)
    mutate({ answer: answer === '' ? '?' : answer }, { onSuccess: goOn })
  }, [answer, mutate, history, basepath])
  return (
    <NarrowPage title={t('signIn')}>
      {error === null ? (
        <p role="status">{t('signingIn')}</p>
      ) : (
        <>
          <Notice look="bad">{problemText(error)}</Notice>
          <p>
            <Link to="/sign-in">{t('signInAgain')}</Link>
          </p>
        </>
      )}
    </NarrowPage>
  )
}
