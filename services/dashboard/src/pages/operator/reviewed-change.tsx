import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { useOnceKey } from '../../api/once-key.ts'
import { ExactMoney } from '../../ui/money.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ChangeForm, type ChangeTexts } from './change-form.tsx'
import { t } from './operator-text.ts'

export interface AskedChange {
  readonly reason: string
  readonly dry_run: boolean
  readonly idempotency_key: string
}

export interface BalanceChange {
  /** Exact dollars; below zero the balance gets less. */
  readonly amount: string
  /** Null when it had been done before. */
  readonly balance_before: string | null
  readonly balance_after: string
}

export interface ReviewedChangeProps extends ChangeTexts {
  /** What is asked beside the reason: other content is another change, with another key. */
  readonly about: object
  readonly change: (asked: AskedChange) => Promise<BalanceChange>
}

/**
 * A change of a balance in two steps: first what it would come to, as the server works it out from
 * the log; then the change. Whoever types on after the review reviews again.
 */
export function ReviewedChange({ about, change, ...texts }: ReviewedChangeProps) {
  const [reason, setReason] = useState('')
  const [reviewed, setReviewed] = useState<string>()
  const keyOf = useOnceKey()
  const client = useQueryClient()
  const content = { ...about, reason }
  const isReviewed = reviewed === JSON.stringify(content)
  const asked = { reason, idempotency_key: keyOf(content) }
  const review = useMutation<BalanceChange, ApiError>({
    mutationFn: () => change({ ...asked, dry_run: true }),
    onSuccess: () => setReviewed(JSON.stringify(content)),
  })
  const carryOut = useMutation<BalanceChange, ApiError>({
    mutationFn: () => change({ ...asked, dry_run: false }),
    onSuccess: async () => {
      // Before the form goes: the focus goes back to its button, which may be gone with the change.
      await client.invalidateQueries()
      texts.onClose()
    },
  })
  return (
    <ChangeForm
      {...texts}
      confirm={isReviewed ? texts.confirm : t('review')}
      isDangerous={isReviewed && texts.isDangerous === true}
      reason={reason}
      onReason={setReason}
      error={carryOut.error ?? review.error}
      isPending={review.isPending || carryOut.isPending}
      preview={isReviewed && review.data !== undefined && <Preview {...review.data} />}
      onSubmit={() => {
        carryOut.reset()
        if (isReviewed) carryOut.mutate()
        else review.mutate()
      }}
    />
  )
}

function Preview({ amount, balance_before: before, balance_after: after }: BalanceChange) {
  return (
    <Notice look="info">
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1">
        <dt className="text-soft">{t('changesBy')}</dt>
        <dd className="text-right">
          <ExactMoney amount={amount} />
        </dd>
        <dt className="text-soft">{t('balance')}</dt>
        <dd className="text-right font-semibold">
          <ExactMoney amount={before} />
          <span aria-hidden="true"> → </span>
          <span className="sr-only">{t('becomes')}</span>
          <ExactMoney amount={after} />
        </dd>
      </dl>
    </Notice>
  )
}
