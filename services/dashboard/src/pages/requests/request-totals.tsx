import { useQuery } from '@tanstack/react-query'
import { askedPeriod } from '../../address/asked-period.ts'
import type { RequestsSearch } from '../../address/search.ts'
import { ask } from '../../api/queries.ts'
import { countText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { ExactMoney } from '../../ui/money.tsx'
import { usedOf } from '../usage/usage-rows.ts'

export interface RequestTotalsProps {
  readonly accountId: string
  readonly search: RequestsSearch
}

/** Before any use; the API looks back thirty days by itself. */
const SINCE_EVER = '2001-01-01'

/** What all charged requests of the filters come to, and not only those on the page. */
export function RequestTotals({ accountId, search }: RequestTotalsProps) {
  const { status, key, model, format } = search
  const { data } = useQuery({
    ...ask('usage', {
      account_id: accountId,
      ...{ from: SINCE_EVER, ...askedPeriod(search), by: 'month', limit: 1 },
      ...{ key_id: key, model, format },
    }),
    // Usage is of charged requests, whatever became of them.
    enabled: status === undefined,
  })
  if (status !== undefined || data === undefined) return null
  const { total } = data
  return (
    <p className="text-sm">
      {t('allCharged', {
        count: countText(total.requests ?? 0),
        input: countText(usedOf(total, 'input').tokens),
        cached: countText(usedOf(total, 'cached_input').tokens),
        output: countText(usedOf(total, 'output').tokens),
      })}{' '}
      <strong>
        <ExactMoney amount={total.amount} />
      </strong>
    </p>
  )
}
