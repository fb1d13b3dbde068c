import { parseDollars } from '@svc/contracts/money'
import { useState } from 'react'
import { useSession } from '../../api/session.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ExactMoney } from '../../ui/money.tsx'
import { Notice } from '../../ui/notice.tsx'

export interface LowBalanceProps {
  /** Exact dollars. */
  readonly available: string
}

/** Said before requests are refused, with the way to more credit. */
export function LowBalance({ available }: LowBalanceProps) {
  const [isOpen, setOpen] = useState(false)
  const { low_balance: below } = useSession().branding
  const left = parseDollars(available)
  if (left >= parseDollars(below)) return null
  return (
    <Notice look="warn">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>
          {t(left > 0n ? 'lowBalance' : 'noBalance')} <ExactMoney amount={available} />
        </p>
        <Button onClick={() => setOpen(true)}>{t('addCredit')}</Button>
      </div>
      {isOpen && <AddCredit onClose={() => setOpen(false)} />}
    </Notice>
  )
}

function AddCredit({ onClose }: { readonly onClose: () => void }) {
  const { branding } = useSession()
  return (
    <Dialog title={t('addCredit')} onClose={onClose}>
      <p className="mb-2 text-sm whitespace-pre-line wrap-anywhere">
        {branding.credit_text ?? t('addCreditText')}
      </p>
      {branding.support !== null && <p className="text-sm wrap-anywhere">{branding.support}</p>}
    </Dialog>
  )
}
