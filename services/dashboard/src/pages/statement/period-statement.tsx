import type { StatementOrder } from '@svc/contracts/wire/statement'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { periodText } from '../../address/asked-period.ts'
import { type Period, statementOrders } from '../../address/search.ts'
import type { ApiError } from '../../api/api-error.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Card } from '../../ui/card.tsx'
import { Settled } from '../../ui/drawing/settled.tsx'
import { Choice } from '../../ui/forms/field.tsx'
import { AsOf, type AsOfProps } from '../../ui/moment.tsx'
import { MoreRows } from '../../ui/more-rows.tsx'
import { OpenPeriod } from '../open-period.tsx'
import { PeriodFields } from '../period-fields.tsx'
import { type StatementPart, StatementParts, type StatementPartsProps } from './statement-parts.tsx'
import { isMovement } from './statement-table.tsx'

/** How far a movement is looked for by itself: behind it, whoever looks asks for more. */
const SEARCHED_PAGES_MAX = 20

const orderNames = { newest: 'newestFirst', oldest: 'oldestFirst' } as const

interface PageAsOf {
  readonly as_of: AsOfProps['asOf']
}

export interface PeriodStatementProps<Page extends PageAsOf>
  extends Pick<StatementPartsProps, 'receiptAddress' | 'movement'> {
  readonly period: Period
  readonly onPeriod: (period: Period) => void
  readonly order: StatementOrder
  readonly onOrder: (order: StatementOrder) => void
  /** The period and the account that the query asks for. */
  readonly asked: object
  readonly query: UseInfiniteQueryResult<InfiniteData<Page>, ApiError>
  readonly partOf: (page: Page) => StatementPart
  readonly action?: ReactNode
}

/** Every movement in a period that can be chosen, with the balance before and after. */
export function PeriodStatement<Page extends PageAsOf>({
  period,
  onPeriod,
  order,
  onOrder,
  asked,
  query,
  partOf,
  receiptAddress,
  movement,
  action,
}: PeriodStatementProps<Page>) {
  const parts = query.data?.pages.map(partOf) ?? []
  useSearchedPages(query, parts, movement)
  // The first page is the oldest answer: all pages together are up to no more than it is.
  const first = query.data?.pages[0]
  return (
    <>
      <div className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-5 print:hidden">
        <PeriodFields period={period} onChange={onPeriod} withoutDays="all" />
        <Choice
          label={t('order')}
          value={order}
          options={statementOrders.map((each) => [each, t(orderNames[each])] as const)}
          onChoose={onOrder}
        />
      </div>
      <Card
        title={<span className="inline-block first-letter:uppercase">{periodText(period)}</span>}
        action={action}
      >
        <Answer query={query}>
          {() => (
            <Settled isOld={query.isPlaceholderData}>
              {() => (
                <StatementParts
                  list={JSON.stringify([asked, order])}
                  order={order}
                  receiptAddress={receiptAddress}
                  movement={movement}
                  parts={parts}
                />
              )}
            </Settled>
          )}
        </Answer>
        <AsOf asOf={first?.as_of} />
        <OpenPeriod period={period} />
        <MoreRows query={query} />
      </Card>
    </>
  )
}

/** Asks for page after page until the movement that was looked for is among the entries. */
function useSearchedPages(
  { hasNextPage, isFetching, fetchNextPage }: UseInfiniteQueryResult<unknown, ApiError>,
  parts: readonly StatementPart[],
  movement: string | undefined,
): void {
  const isMissing =
    movement !== undefined &&
    !parts.some(({ entries }) => entries.some((entry) => isMovement(entry, movement)))
  const isWorthMore = isMissing && hasNextPage && parts.length < SEARCHED_PAGES_MAX
  useEffect(() => {
    if (isWorthMore && !isFetching) void fetchNextPage()
  }, [isWorthMore, isFetching, fetchNextPage])
}
