import type { UsageAnswer } from '@svc/contracts/wire/usage'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { Answer } from '../../ui/answer.tsx'
import { MoreRows } from '../../ui/more-rows.tsx'
import { keyNames, type NamedKey } from '../key-names.ts'
import { UsageTable } from './usage-table.tsx'

/** Rows that are added at once: an account of 500 keys has as many for each step of time. */
const ROWS_AT_ONCE = 500

export interface GroupedUsageProps<Page extends UsageAnswer> {
  /** What the query asks for: rows of another question begin anew. */
  readonly asked: string
  readonly query: UseInfiniteQueryResult<InfiniteData<Page>, ApiError>
  /** Of the account, which tell apart those of one name. */
  readonly keys: readonly NamedKey[]
}

/** What each key, model or format used, step by step; the sums below are of the whole period. */
export function GroupedUsage<Page extends UsageAnswer>(props: GroupedUsageProps<Page>) {
  const { asked, query, keys } = props
  const [wanted, setWanted] = useState({ asked, rows: ROWS_AT_ONCE })
  const shown = wanted.asked === asked ? wanted.rows : ROWS_AT_ONCE
  const loaded = query.data?.pages.reduce((count, { data }) => count + data.length, 0) ?? 0
  const more = {
    hasNextPage: query.hasNextPage || loaded > shown,
    isFetchingNextPage: query.isFetchingNextPage,
    isFetchNextPageError: query.isFetchNextPageError,
    error: query.error,
    fetchNextPage() {
      setWanted({ asked, rows: shown + ROWS_AT_ONCE })
      if (query.hasNextPage && loaded < shown + ROWS_AT_ONCE) query.fetchNextPage()
    },
  }
  return (
    <>
      <Answer query={query}>
        {({ pages: [first, ...others] }) => {
          if (first === undefined) return null
          const rows = [first, ...others].flatMap(({ data }) => data)
          const usage = { ...first, data: rows.slice(0, shown) }
          return <UsageTable usage={usage} names={keyNames(keys)} />
        }}
      </Answer>
      <MoreRows query={more} />
    </>
  )
}
