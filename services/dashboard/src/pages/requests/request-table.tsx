import type { RequestsAnswer, RequestTotalsAnswer } from '@svc/contracts/wire/requests'
import { memo } from 'react'
import { countText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { useScreenful } from '../../ui/drawing/screenful.ts'
import { GivenName } from '../../ui/given-name.tsx'
import { Moment } from '../../ui/moment.tsx'
import { DecimalColumn, finestOf } from '../../ui/money.tsx'
import { Cell, Head, Table } from '../../ui/table.tsx'
import type { KeyNames } from '../key-names.ts'
import { RowLink } from '../row-link.tsx'
import type { ReceiptAddress } from './receipt-address.ts'
import { RequestRefund, RequestStatus } from './request-status.tsx'
import { RequestTotals } from './request-totals.tsx'

type Request = RequestsAnswer['data'][number]

export interface RequestTableProps {
  /** What was asked for: rows of something else are another list. */
  readonly list?: string
  readonly requests: readonly Request[]
  readonly receiptAddress: ReceiptAddress
  /** Where they are known, because keys of one name are told apart by them. */
  readonly names?: KeyNames
  /**
   * Totals of all that the list has, also of requests that are not loaded. Left out where they are
   * not shown.
   */
  readonly totals?: RequestTotalsAnswer | undefined
}

/** One line for each request; its time leads to the receipt. */
export function RequestTable(props: RequestTableProps) {
  const { list = '', requests, receiptAddress, names, totals } = props
  const drawn = useScreenful(list, requests)
  const amounts = [...requests, ...(totals?.data ?? [])].map(({ amount }) => amount)
  const decimals = finestOf(amounts)
  const head = (
    <>
      <Head>{t('time')}</Head>
      <Head>{t('status')}</Head>
      <Head>{t('key')}</Head>
      <Head>{t('model')}</Head>
      <Head isNumber>{t('input')}</Head>
      <Head isNumber>{t('cachedInput')}</Head>
      <Head isNumber>{t('output')}</Head>
      <Head isNumber isPinned>
        {t('cost')}
      </Head>
    </>
  )
  const foot = totals && <RequestTotals totals={totals} decimals={decimals} />
  return (
    <Table label={t('requests')} head={head} foot={foot}>
      {drawn.map((request) => (
        <Line
          key={request.id}
          request={request}
          decimals={decimals}
          receipt={receiptAddress(request.id)}
          keyName={names?.get(request.key.id) ?? request.key.name ?? request.key.id}
        />
      ))}
    </Table>
  )
}

interface LineProps {
  readonly request: Request
  readonly decimals: number
  /** An address. */
  readonly receipt: string
  readonly keyName: string
}

/** Drawn once: a list that grows by a page draws that page alone. */
const Line = memo(({ request, decimals, receipt, keyName }: LineProps) => {
  const { created_at: createdAt, status, model, usage, amount, refunded } = request
  return (
    <tr className="hover:bg-panel" data-row>
      <Cell>
        <RowLink href={receipt}>
          <Moment at={createdAt} />
        </RowLink>
      </Cell>
      <Cell>
        <RequestStatus status={status} /> <RequestRefund amount={amount} refunded={refunded} />
      </Cell>
      <Cell>
        <GivenName name={keyName} />
      </Cell>
      <Cell>{model}</Cell>
      <Cell isNumber>{countText(usage.input_tokens)}</Cell>
      <Cell isNumber>{countText(usage.cached_input_tokens)}</Cell>
      <Cell isNumber>{countText(usage.output_tokens)}</Cell>
      <Cell isNumber isPinned>
        <DecimalColumn amount={amount} decimals={decimals} />
      </Cell>
    </tr>
  )
})
