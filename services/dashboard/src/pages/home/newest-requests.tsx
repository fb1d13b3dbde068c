import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ask } from '../../api/queries.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Card } from '../../ui/card.tsx'
import { useReceiptAddress } from '../requests/receipt-address.ts'
import { RequestTable } from '../requests/request-table.tsx'

const SHOWN = 5
const REFRESH_MS = 5_000

/** The last few requests, and the way to all of them. */
export function NewestRequests({ accountId }: { readonly accountId: string }) {
  const receiptAddress = useReceiptAddress()
  const query = useQuery({
    ...ask('requests', { account_id: accountId, limit: SHOWN }),
    refetchInterval: REFRESH_MS,
  })
  const all = (
    <Link to="/accounts/$accountId/requests" params={{ accountId }} className="text-sm">
      {t('allRequests')}
    </Link>
  )
  return (
    <Card title={t('newestRequests')} action={all}>
      <Answer query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-soft">{t('noRequestsYet')}</p>
          ) : (
            <RequestTable requests={data} receiptAddress={receiptAddress} />
          )
        }
      </Answer>
    </Card>
  )
}
