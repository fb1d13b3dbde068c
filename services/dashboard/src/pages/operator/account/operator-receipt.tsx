import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { askAdmin, callAdmin, useMay } from '../../../api/admin.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Receipt } from '../../requests/receipt.tsx'
import { t } from '../operator-text.ts'
import { ReviewedChange } from '../reviewed-change.tsx'
import { useOpenedAccount } from './opened-account.ts'

/** The receipt that the address names, if any, with the way to give back what it charged. */
export function OperatorReceipt() {
  const { search, navigate } = useOpenedAccount()
  const { request, ...others } = search
  if (request === undefined) return null
  return <Panel requestId={request} onClose={() => navigate({ search: others })} />
}

interface PanelProps {
  readonly requestId: string
  readonly onClose: () => void
}

function Panel({ requestId, onClose }: PanelProps) {
  const may = useMay()
  const [isRefunding, setRefunding] = useState(false)
  const query = useQuery({
    ...askAdmin('explain', { request_id: requestId }),
    placeholderData: undefined as never,
  })
  return (
    <Dialog title={t('receipt')} isPanel onClose={onClose}>
      {query.error?.status === 404 ? (
        <p>{t('noSuchRequest', { id: requestId })}</p>
      ) : (
        <Answer query={query}>
          {(receipt) => (
            <div className="flex flex-col gap-4">
              {may('refund') && receipt.balance_after !== null && (
                <div>
                  <Button onClick={() => setRefunding(true)}>{t('refund')}</Button>
                </div>
              )}
              <Receipt receipt={receipt} />
              {isRefunding && (
                <Refund
                  accountId={receipt.account_id}
                  requestId={receipt.id}
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

interface RefundProps extends PanelProps {
  readonly accountId: string
}

function Refund({ accountId, requestId, onClose }: RefundProps) {
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
      <Field
        label={t('amountDollars')}
        hint={t('refundHint')}
        inputMode="decimal"
        value={amount}
        onChange={({ target }) => setAmount(target.value.trim())}
      />
    </ReviewedChange>
  )
}
