import type { RequestTotalsAnswer } from '@svc/contracts/wire/requests'
import { countText, openPeriodText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { DecimalColumn } from '../../ui/money.tsx'
import { Cell } from '../../ui/table.tsx'
import { RequestStatus } from './request-status.tsx'

export interface RequestTotalsProps {
  readonly totals: RequestTotalsAnswer
  /** Decimals in the column of costs. */
  readonly decimals: number
}

/**
 * Below a list: what all of its requests come to, and not only those on the page; by status too
 * where there are several.
 */
export function RequestTotals({ totals, decimals }: RequestTotalsProps) {
  const { data, total, from, to, zone } = totals
  return (
    <>
      {data.length > 1 &&
        data.map((each) => (
          <tr key={each.status}>
            <Cell>{t('ofThem', { count: countText(each.requests) })}</Cell>
            <Cell colSpan={3}>
              <RequestStatus status={each.status} />
            </Cell>
            <Sums of={each} decimals={decimals} />
          </tr>
        ))}
      <tr>
        <Cell colSpan={4}>
          <strong>{t('allOfThem', { count: countText(total.requests) })}</strong>{' '}
          <span className="text-soft">
            {t('inPeriod', { period: openPeriodText(from, to), zone })}
          </span>
        </Cell>
        <Sums of={total} decimals={decimals} />
      </tr>
    </>
  )
}

interface SumsProps {
  readonly of: RequestTotalsAnswer['total']
  readonly decimals: number
}

function Sums({ of, decimals }: SumsProps) {
  return (
    <>
      <Cell isNumber>{countText(of.input_tokens)}</Cell>
      <Cell isNumber>{countText(of.cached_input_tokens)}</Cell>
      <Cell isNumber>{countText(of.output_tokens)}</Cell>
      <Cell isNumber isPinned>
        <DecimalColumn amount={of.amount} decimals={decimals} />
      </Cell>
    </>
  )
}
