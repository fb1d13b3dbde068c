import type { ReactNode } from 'react'
import { t } from '../text/translate.ts'
import { Button } from './button.tsx'

export interface MoreRowsProps {
  /** A list that is asked for page by page. */
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    fetchNextPage(): unknown
  }
  /** What is said of the list beside the button, and also where there is no further page. */
  readonly children?: ReactNode
}

/** Stands below a list and asks for the next page of it, while there is one. */
export function MoreRows({ query, children }: MoreRowsProps) {
  if (!query.hasNextPage && children === undefined) return null
  return (
    <div className="mt-3 flex flex-wrap items-center gap-4">
      {query.hasNextPage && (
        <Button disabled={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
          {t('more')}
        </Button>
      )}
      {children}
    </div>
  )
}
