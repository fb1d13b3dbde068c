import { useInfiniteQuery } from '@tanstack/react-query'
import { askAdminPages } from '../../../api/admin-pages.ts'
import { ownZone } from '../../../text/times.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { MoreRows } from '../../../ui/more-rows.tsx'
import { RequestTable } from '../../requests/request-table.tsx'
import { t } from '../operator-text.ts'
import { useOpenedAccount } from './opened-account.ts'
import { OperatorReceipt } from './operator-receipt.tsx'
import { useOperatedReceiptAddress } from './receipt-address.ts'

const PAGE = 50

/** The requests of the account, the newest first. */
export function AccountRequests() {
  const { accountId } = useOpenedAccount()
  const receiptAddress = useOperatedReceiptAddress()
  const query = useInfiniteQuery(
    askAdminPages('accountRequests', { account_id: accountId, limit: PAGE, zone: ownZone }),
  )
  return (
    <>
      <Answer query={query}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data)
          if (rows.length === 0) return <Empty title={t('noRequestsOfAccount')} />
          return <RequestTable requests={rows} receiptAddress={receiptAddress} />
        }}
      </Answer>
      <MoreRows query={query} />
      <OperatorReceipt />
    </>
  )
}
