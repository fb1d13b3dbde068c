import { messageOf } from '@svc/contracts/error-message'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, isUnreached } from '../api/api-error.ts'
import { isServerThere, useServerBack } from '../api/server-there.ts'
import { useSession } from '../api/session.ts'
import { problemText } from '../text/problems.ts'
import { t } from '../text/translate.ts'
import { Button } from '../ui/button.tsx'

export interface MissingProps {
  /** Of the account that the address is about. */
  readonly accountId?: string
}

/** Stands at an address that leads nowhere. */
export function Missing({ accountId }: MissingProps) {
  const { platform_role: role } = useSession()
  return (
    <div className="mx-auto flex max-w-xl flex-col items-start gap-3 p-6">
      <h1 className="text-2xl font-semibold">{t('pageMissing')}</h1>
      <p>{t('pageMissingText')}</p>
      {accountId !== undefined && role !== null && (
        // A customer may have sent the address: who runs the service sees the account elsewhere.
        <Link
          to="/operator/accounts/$accountId"
          params={{ accountId }}
          search={({ request }) => (request === undefined ? {} : { view: 'requests', request })}
        >
          {t('asOperator')}
        </Link>
      )}
      <Link to="/">{t('toStart')}</Link>
    </div>
  )
}

/**
 * For a page that failed: never a blank one. A browser may keep a failed import for as long as the
 * window is open, so all is loaded anew, but not before there is something to load. Nobody has to
 * ask for that where only the server was away.
 */
export function Broken({ error }: ErrorComponentProps) {
  const [isTrying, setTrying] = useState(false)
  const isAway = isUnreached(error)
  const loadAnew = () => window.location.reload()
  useServerBack(isAway, loadAnew)
  const retry = async () => {
    setTrying(true)
    if (await isServerThere()) loadAnew()
    else setTrying(false)
  }
  return (
    <main className="mx-auto flex max-w-xl flex-col items-start gap-3 p-6">
      <h1 className="text-2xl font-semibold">{t(isAway ? 'serverAway' : 'pageBroken')}</h1>
      <p>{isAway ? t('serverAwayText') : textOf(error)}</p>
      <Button disabled={isTrying} onClick={retry}>
        {t('retry')}
      </Button>
    </main>
  )
}

function textOf(error: unknown): string {
  if (error instanceof ApiError) return problemText(error)
  return messageOf(error)
}
