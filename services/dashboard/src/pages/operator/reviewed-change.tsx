import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { useOnceKey } from '../../api/once-key.ts'
import { problemText } from '../../text/problems.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { ExactMoney } from '../../ui/money.tsx'
import { Notice } from '../../ui/notice.tsx'

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

export interface ReviewedChangeProps {
  readonly title: string
  /** What it does, before it is done. */
  readonly effect: string
  /** On the button that does it. */
  readonly confirm: string
  readonly isDangerous?: boolean
  /** What is asked beside the reason: other content is another change, with another key. */
  readonly about: object
  readonly change: (asked: AskedChange) => Promise<BalanceChange>
  /** The fields for it. */
  readonly children?: ReactNode
  readonly onClose: () => void
}

/**
 * A change of a balance in two steps: first what it would come to, as the server works it out from
 * the log; then the change. Whoever types on after the review reviews again.
 */
export function ReviewedChange(props: ReviewedChangeProps) {
  const { title, effect, confirm, isDangerous, about, change, children, onClose } = props
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
      onClose()
      await client.invalidateQueries()
    },
  })
  const error = carryOut.error ?? review.error
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="flex flex-col gap-4 text-left whitespace-normal"
        onSubmit={(event) => {
          event.preventDefault()
          carryOut.reset()
          if (isReviewed) carryOut.mutate()
          else review.mutate()
        }}
      >
        <p className="text-sm">{effect}</p>
        {children}
        <Field
          label={t('reason')}
          hint={t('reasonHint')}
          required
          maxLength={500}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        {error !== null && <Notice look="bad">{problemText(error)}</Notice>}
        {isReviewed && review.data !== undefined && <Preview {...review.data} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            look={isReviewed && isDangerous ? 'danger' : 'main'}
            type="submit"
            disabled={review.isPending || carryOut.isPending}
          >
            {isReviewed ? confirm : t('review')}
          </Button>
        </div>
      </form>
    </Dialog>
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
