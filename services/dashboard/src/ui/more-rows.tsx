import type { ReactNode } from 'react'
import type { ApiError } from '../api/api-error.ts'
import { problemText } from '../text/problems.ts'
import { t } from '../text/translate.ts'
import { Button } from './button.tsx'

export interface MoreRowsProps {
  /** A list that is asked for page by page. */
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly isFetchNextPageError: boolean
    readonly error: ApiError | null
    fetchNextPage(): unknown
  }
  /** What is said of the list beside the button, and also where there is no further page. */
  readonly children?: ReactNode
}

/** Stands below a list and asks for the next page of it, while there is one. */
export function MoreRows({ query, children }: MoreRowsProps) {
  if (!query.hasNextPage && children === undefined) return null
  const { error, isFetchNextPageError: isFailed, isFetchingNextPage: isAsking } = query
  return (
    <div className="mt-3 flex flex-wrap items-center gap-4">
      {query.hasNextPage && (
        <>
          <Button disabled={isAsking} onClick={() => query.fetchNextPage()}>
            {t('more')}
          </Button>
          <p className="hidden print:block">{t('moreThanPrinted')}</p>
        </>
      )}
      {/* What is said above a long list is out of sight of who asks for more of it. */}
      {isFailed && error !== null && (
        <p role="alert" className="text-sm text-bad">
          {problemText(error)}
        </p>
      )}
      {children}
    </div>
  )
}
