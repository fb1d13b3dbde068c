import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type ApiError, isUnreached } from '../api/api-error.ts'
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
 * What was asked for; until it is there, that it comes; and when it fails, why. Where only the
 * server was away, it is asked for again as soon as that is back.
 */
export function Answer<Data>({ query, children }: AnswerProps<Data>) {
  const { data, error, refetch } = query
  useServerBack(isUnreached(error), refetch)
  if (data === undefined) {
    if (error === null) return <Loading />
    return <Failure error={error} onRetry={refetch} />
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
  readonly onRetry: () => void
}

function Failure({ error, onRetry }: FailureProps) {
  return (
    <Notice look="bad">
      <p className="mb-2">{problemText(error)}</p>
      <Button onClick={onRetry}>{t('retry')}</Button>
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
