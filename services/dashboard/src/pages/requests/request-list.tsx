import type { RequestsAnswer, RequestTotalsAnswer } from '@svc/contracts/wire/requests'
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Settled } from '../../ui/drawing/settled.tsx'
import { Empty } from '../../ui/empty.tsx'
import { AsOf, type AsOfProps } from '../../ui/moment.tsx'
import { MoreRows } from '../../ui/more-rows.tsx'
import { keyNames } from '../key-names.ts'
import { OpenPeriod } from '../open-period.tsx'
import { RequestFilters, type RequestFiltersProps } from './request-filters.tsx'
import { RequestTable, type RequestTableProps } from './request-table.tsx'

interface PageAsOf extends Pick<RequestsAnswer, 'data'> {
  readonly as_of: AsOfProps['asOf']
}

export interface RequestListProps<Page extends PageAsOf>
  extends RequestFiltersProps,
    Pick<RequestTableProps, 'receiptAddress'> {
  /** What the query asks for, whatever its page. */
  readonly asked: object
  readonly query: UseInfiniteQueryResult<InfiniteData<Page>, ApiError>
  /** What all requests of the list come to. */
  readonly totals: UseQueryResult<RequestTotalsAnswer, ApiError>
  /** Says that there are none, whatever is asked for. */
  readonly empty: string
  /** Stands beside a heading of the list's own. */
  readonly action?: ReactNode
}

/** The requests of an account that filters let through, the newest first, and their totals. */
export function RequestList<Page extends PageAsOf>(props: RequestListProps<Page>) {
  const { asked, query, totals, receiptAddress, empty, action, ...filters } = props
  const { search, onChange } = filters
  // The first page is the oldest answer: all pages together are up to no more than it is.
  const first = query.data?.pages[0]
  const { zone: _, ...narrowing } = search
  const isFiltered = Object.values(narrowing).some((value) => value !== undefined)
  return (
    <>
      <RequestFilters {...filters} />
      <Card {...(action !== undefined && { title: t('requests'), action })}>
        <Answer query={query}>
          {({ pages }) => (
            <Settled isOld={query.isPlaceholderData}>
              {() => {
                const rows = pages.flatMap(({ data }) => data)
                if (rows.length > 0) {
                  // Totals of other filters would be a wrong sum below these rows.
                  const own = totals.isPlaceholderData ? undefined : totals.data
                  return (
                    <RequestTable
                      list={JSON.stringify(asked)}
                      requests={rows}
                      receiptAddress={receiptAddress}
                      names={keyNames(filters.keys)}
                      totals={own}
                    />
                  )
                }
                return isFiltered ? (
                  <Empty title={t('nothingFits')}>
                    <Button onClick={() => onChange({})}>{t('clearFilters')}</Button>
                  </Empty>
                ) : (
                  <Empty title={empty} />
                )
              }}
            </Settled>
          )}
        </Answer>
        <AsOf asOf={first?.as_of} />
        <OpenPeriod period={search} />
        <MoreRows query={query} />
      </Card>
    </>
  )
}
