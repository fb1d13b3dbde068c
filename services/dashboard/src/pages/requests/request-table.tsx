import type { RequestsAnswer } from '@svc/contracts/wire/requests'
import { Link } from '@tanstack/react-router'
import type { ComponentType, ReactNode } from 'react'
import { requestsSearch } from '../../address/search.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { countText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { GivenName } from '../../ui/given-name.tsx'
import { Moment } from '../../ui/moment.tsx'
import { DecimalColumn, finestOf } from '../../ui/money.tsx'
import { Cell, Head, Table } from '../../ui/table.tsx'
import { RequestStatus } from './request-status.tsx'

export interface RequestTableProps {
  readonly requests: RequestsAnswer['data']
  /** Leads to the receipt; by default to that of the account whose pages are open. */
  readonly ReceiptLink?: ComponentType<ReceiptLinkProps>
}

export interface ReceiptLinkProps {
  readonly id: string
  readonly children: ReactNode
}

/** One line for each request; its time leads to the receipt. */
export function RequestTable({ requests, ReceiptLink = OwnReceiptLink }: RequestTableProps) {
  const decimals = finestOf(requests.map(({ amount }) => amount))
  const head = (
    <>
      <Head>{t('time')}</Head>
      <Head>{t('status')}</Head>
      <Head>{t('key')}</Head>
      <Head>{t('model')}</Head>
      <Head isNumber>{t('input')}</Head>
      <Head isNumber>{t('cachedInput')}</Head>
      <Head isNumber>{t('output')}</Head>
      <Head isNumber>{t('cost')}</Head>
    </>
  )
  return (
    <Table label={t('requests')} head={head}>
      {requests.map(({ id, created_at, status, key, model, usage, amount }) => (
        <tr key={id} className="hover:bg-panel" data-row>
          <Cell>
            <ReceiptLink id={id}>
              <Moment at={created_at} />
            </ReceiptLink>
          </Cell>
          <Cell>
            <RequestStatus status={status} />
          </Cell>
          <Cell>
            <GivenName name={key.name ?? key.id} />
          </Cell>
          <Cell>{model}</Cell>
          <Cell isNumber>{countText(usage.input_tokens)}</Cell>
          <Cell isNumber>{countText(usage.cached_input_tokens)}</Cell>
          <Cell isNumber>{countText(usage.output_tokens)}</Cell>
          <Cell isNumber>
            <DecimalColumn amount={amount} decimals={decimals} />
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

function OwnReceiptLink({ id, children }: ReceiptLinkProps) {
  const accountId = useAccountId()
  return (
    <Link
      to="/accounts/$accountId/requests"
      params={{ accountId }}
      search={(search) => requestsSearch({ ...search, request: id })}
    >
      {children}
    </Link>
  )
}
