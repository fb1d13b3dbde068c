import { useQuery } from '@tanstack/react-query'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useCloseReceipt } from '../close-receipt.ts'
import { Receipt } from './receipt.tsx'
import { receiptQuery } from './requests-queries.ts'

export interface ReceiptPanelProps {
  readonly accountId: string
  /** Any that an answer gave. */
  readonly id: string
  /** Leads to the list, for a receipt that was opened from no page. */
  readonly onClose: () => void
}

/** Why a request cost what it cost, beside the list that it was opened from. */
export function ReceiptPanel({ accountId, id, onClose }: ReceiptPanelProps) {
  const query = useQuery(receiptQuery(accountId, id))
  const close = useCloseReceipt(onClose)
  return (
    <Dialog title={t('receipt')} isPanel onClose={close}>
      {query.error?.status === 404 ? (
        <p>{t('noSuchRequest', { id })}</p>
      ) : (
        <Answer query={query}>{(receipt) => <Receipt receipt={receipt} />}</Answer>
      )}
    </Dialog>
  )
}
