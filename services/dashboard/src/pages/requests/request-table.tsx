import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { Link } from '@tanstack/react-router'
import { useAccountId } from '../../layout/account-id.ts'
import { countText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { GivenName } from '../../ui/given-name.tsx'
import { Moment } from '../../ui/moment.tsx'
import { DecimalColumn, finestOf } from '../../ui/money.tsx'
import { Cell, Head, Table } from '../../ui/table.tsx'
import { RequestStatus } from './request-status.tsx'

type Requests = DashboardOutput<'requests'>['data']

/** One line for each request; its time leads to the receipt. */
export function RequestTable({ requests }: { readonly requests: Requests }) {
  const accountId = useAccountId()
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
            <Link
              to="/accounts/$accountId/requests"
              params={{ accountId }}
              search={(search) => ({ ...search, request: id })}
            >
              <Moment at={created_at} />
            </Link>
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
