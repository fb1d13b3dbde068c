import { t } from '../text/translate.ts'
import { Button } from './button.tsx'

export interface MoreRowsProps {
  /** A list that is asked for page by page. */
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    fetchNextPage(): unknown
  }
}

/** Asks for the next page of a list, while there is one. */
export function MoreRows({ query }: MoreRowsProps) {
  if (!query.hasNextPage) return null
  return (
    <Button disabled={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
      {t('more')}
    </Button>
  )
}
