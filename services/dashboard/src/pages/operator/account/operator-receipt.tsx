import type { GrantDetails } from '@svc/contracts/admin/accounts'
import { parseDollars } from '@svc/contracts/money'
import type { Receipt as ReceiptData } from '@svc/contracts/wire/billing'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { askAdmin, callAdmin, useMay } from '../../../api/admin.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useCloseReceipt } from '../../close-receipt.ts'
import { Receipt } from '../../requests/receipt.tsx'
import { t } from '../operator-text.ts'
import { ReviewedChange } from '../reviewed-change.tsx'
import { hasExpired } from './changes/expired-grant.ts'
import { useOpenedAccount } from './opened-account.ts'

export interface OperatorReceiptProps {
  /** Those of the account. */
  readonly grants: readonly GrantDetails[]
}

/** The receipt that the address names, if any, with the way to give back what it charged. */
export function OperatorReceipt({ grants }: OperatorReceiptProps) {
  const { search, navigate } = useOpenedAccount()
  const { request, ...others } = search
  if (request === undefined) return null
  const close = () => navigate({ search: others })
  return <Panel requestId={request} grants={grants} onClose={close} />
}

interface PanelProps extends OperatorReceiptProps {
  readonly requestId: string
  readonly onClose: () => void
}

function Panel({ requestId, grants, onClose }: PanelProps) {
  const may = useMay()
  const [isRefunding, setRefunding] = useState(false)
  const close = useCloseReceipt(onClose)
  const query = useQuery({
    ...askAdmin('explain', { request_id: requestId }),
    placeholderData: undefined as never,
  })
  return (
    <Dialog title={t('receipt')} isPanel onClose={close}>
      {query.error?.status === 404 ? (
        <p>{t('noSuchRequest', { id: requestId })}</p>
      ) : (
        <Answer query={query}>
          {(receipt) => (
            <div className="flex flex-col gap-4">
              {may('refund') && isLeftOf(receipt) && (
                <div>
                  <Button onClick={() => setRefunding(true)}>{t('refund')}</Button>
                </div>
              )}
              <Receipt receipt={receipt} />
              {isRefunding && (
                <Refund
                  accountId={receipt.account_id}
                  requestId={receipt.id}
                  isOfExpired={isOfExpired(receipt, grants)}
                  onClose={() => setRefunding(false)}
                />
              )}
            </div>
          )}
        </Answer>
      )}
    </Dialog>
  )
}

/** Whether anything was charged that did not go back yet. */
function isLeftOf({ balance_after: balance, amount, refunded }: ReceiptData): boolean {
  return balance !== null && parseDollars(refunded) < parseDollars(amount)
}

/** Whether credit paid that has expired since. One that was voided takes nothing back. */
function isOfExpired({ grants: paying }: ReceiptData, grants: readonly GrantDetails[]): boolean {
  const ids = new Set(paying.map(({ grant_id }) => grant_id))
  return grants.some(
    (grant) => ids.has(grant.grant_id) && grant.voided_at === null && hasExpired(grant),
  )
}

interface RefundProps {
  readonly accountId: string
  readonly requestId: string
  readonly isOfExpired: boolean
  readonly onClose: () => void
}

function Refund({ accountId, requestId, isOfExpired: isExpired, onClose }: RefundProps) {
  const [amount, setAmount] = useState('')
  const about = {
    account_id: accountId,
    request_id: requestId,
    amount: amount === '' ? null : amount,
  }
  return (
    <ReviewedChange
      title={t('refundTitle')}
      effect={t('refundEffect')}
      confirm={t('refund')}
      about={about}
      change={(asked) => callAdmin('refund', { ...about, ...asked })}
      onClose={onClose}
    >
      {isExpired && <Notice look="warn">{t('refundExpired')}</Notice>}
      <Field
        label={t('amountDollars')}
        name="amount"
        hint={t('refundHint')}
        inputMode="decimal"
        value={amount}
        onChange={({ target }) => setAmount(target.value.trim())}
      />
    </ReviewedChange>
  )
}
