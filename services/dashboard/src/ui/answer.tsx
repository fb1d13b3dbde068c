import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { type ApiError, isForNow } from '../api/api-error.ts'
import { useServerBack } from '../api/server-there.ts'
import { problemText } from '../text/problems.ts'
import { t } from '../text/translate.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

export interface AnswerProps<Data> {
  readonly query: UseQueryResult<Data, ApiError>
  readonly children: (data: Data) => ReactNode
}

/**
 * What was asked for; until it is there, that it comes; and when it fails, why. Where that is only
 * for now, as while the server or its store is away, it is asked for again by itself.
 */
export function Answer<Data>({ query, children }: AnswerProps<Data>) {
  const { data, error, refetch, isFetching, errorUpdateCount } = query
  const lastError = useRef<ApiError>(null)
  useEffect(() => {
    if (error !== null) lastError.current = error
  }, [error])
  // An answer that is on its way is waited for, however long it takes.
  useServerBack(isForNow(error), () => refetch({ cancelRefetch: false }))
  if (data === undefined) {
    // While it is asked for again, what went wrong stays in place: it is not to come and go.
    const failed = error ?? (errorUpdateCount > 0 ? lastError.current : null)
    if (failed === null) return <Loading />
    return <Failure error={failed} isTrying={isFetching} onRetry={refetch} />
  }
  return (
    <>
      {error !== null && <Stale error={error} onRetry={refetch} />}
      {children(data)}
    </>
  )
}

/** Says that something comes. */
export function Loading() {
  return <p className="py-6 text-soft">{t('loading')}</p>
}

interface FailureProps {
  readonly error: ApiError
  readonly isTrying?: boolean
  readonly onRetry: () => void
}

function Failure({ error, isTrying, onRetry }: FailureProps) {
  return (
    <Notice look="bad">
      <p className="mb-2">{problemText(error)}</p>
      <Button disabled={isTrying} onClick={onRetry}>
        {t('retry')}
      </Button>
    </Notice>
  )
}

/** Numbers of before stay on the page, marked as such. */
function Stale({ error, onRetry }: FailureProps) {
  return (
    <div className="mb-3">
      <Notice look="warn">
        <p className="mb-2">{t('stale', { problem: problemText(error) })}</p>
        <Button onClick={onRetry}>{t('retry')}</Button>
      </Notice>
    </div>
  )
}
