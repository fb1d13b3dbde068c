import type { MonthReport, MonthSums } from '@svc/contracts/admin/finance'
import { csvLine, csvText } from '@svc/contracts/csv'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { askAdmin } from '../../../api/admin.ts'
import { serverNow } from '../../../api/server-clock.ts'
import { countText, ownZone } from '../../../text/times.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { DecimalColumn, finestOf } from '../../../ui/money.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { type PlainName, t } from '../operator-text.ts'
import { saveText } from '../running/save-text.ts'

const sums: readonly (readonly [keyof MonthSums, PlainName])[] = [
  ['opening', 'opening'],
  ['payments', 'monthPayments'],
  ['promotional', 'monthPromotional'],
  ['used', 'monthUsed'],
  ['expired', 'monthExpired'],
  ['refunded', 'monthRefunded'],
  ['corrected', 'monthCorrected'],
  ['closing', 'closing'],
]

/** What moved the balances of all customers in a month, and a file with a row for each. */
export function MonthCard() {
  const [month, setMonth] = useState(thisMonth)
  // All balances are added up for it, and it stands in the log: only when it is asked for.
  const [asked, setAsked] = useState<string>()
  const query = useQuery({
    ...askAdmin('month', { month: asked ?? month, zone: ownZone }),
    placeholderData: undefined as never,
    enabled: asked !== undefined,
  })
  const { data } = query
  return (
    <Card
      title={t('monthReport')}
      action={
        data !== undefined && (
          <Button onClick={() => saveText(`month-${data.month}.csv`, 'text/csv', [csvOf(data)])}>
            {t('csv')}
          </Button>
        )
      }
    >
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          setAsked(month)
        }}
      >
        <Field
          label={t('byMonth')}
          type="month"
          required
          value={month}
          onChange={({ target }) => setMonth(target.value)}
        />
        <Button type="submit">{t('monthNow')}</Button>
      </form>
      {asked !== undefined && (
        <div className="mt-4">
          <Answer query={query}>{(report) => <Totals report={report} />}</Answer>
        </div>
      )}
    </Card>
  )
}

function Totals({ report }: { readonly report: MonthReport }) {
  const { totals, customers, zone, position, over } = report
  const decimals = finestOf(sums.map(([name]) => totals[name]))
  return (
    <>
      {!over && <Notice look="warn">{t('monthNotOver')}</Notice>}
      <Table
        label={t('monthReport')}
        head={
          <>
            <Head>{t('allAccounts', { count: countText(customers.length) })}</Head>
            <Head isNumber isPinned>
              {t('amount')}
            </Head>
          </>
        }
      >
        {sums.map(([name, text]) => (
          <tr key={name}>
            <Cell>{t(text)}</Cell>
            <Cell isNumber isPinned>
              <DecimalColumn amount={totals[name]} decimals={decimals} isBalance />
            </Cell>
          </tr>
        ))}
      </Table>
      <p className="mt-2 text-sm text-soft">{t('monthOf', { zone, position })}</p>
    </>
  )
}

/** Gives the month that it is now in the zone of the reader. */
function thisMonth(): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: ownZone }).format(serverNow())
  return parts.slice(0, 'YYYY-MM'.length)
}

function csvOf({ customers, totals }: MonthReport): string {
  const amounts = (row: MonthSums) => sums.map(([name]) => row[name])
  return [
    csvLine(['account_id', 'external_id', 'name', ...sums.map(([name]) => `${name}_usd`)]),
    ...customers.map((customer) => {
      const names = [customer.account_id, customer.external_id ?? '', customer.name]
      return csvLine([...names.map(csvText), ...amounts(customer)])
    }),
    csvLine(['total', '', '', ...amounts(totals)]),
  ].join('')
}
