import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ApiError, isDoubtful } from '../../api/api-error.ts'
import { noted, useOnceKey } from '../../api/once-key.ts'
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

/** What stood in the form when it was sent: whoever waits for the answer may type on. */
interface Sent {
  readonly reason: string
  readonly key: string
  /** All that was asked, as JSON. */
  readonly content: string
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
  const now: Sent = { reason, key: keyOf(content), content: JSON.stringify(content) }
  const isReviewed = reviewed === now.content
  const review = useMutation<BalanceChange, ApiError, Sent>({
    mutationFn: ({ key, ...sent }) =>
      change({ reason: sent.reason, idempotency_key: key, dry_run: true }),
    // What stands in the form by now may be another content.
    onSuccess: (_, sent) => setReviewed(sent.content),
  })
  const carryOut = useMutation<BalanceChange, ApiError, Sent>({
    mutationFn: ({ key, reason: given, content: asked }) =>
      noted(asked, key, () => change({ reason: given, idempotency_key: key, dry_run: false })),
    onSuccess: async (done) => {
      // Before the form goes: the focus goes back to its button, which may be gone with the change.
      await client.invalidateQueries()
      if (!wasDoneBefore(done)) texts.onClose()
    },
  })
  const result = carryOut.data ?? review.data
  const isDone = isReviewed && result !== undefined && wasDoneBefore(result)
  return (
    <ChangeForm
      {...texts}
      confirm={isReviewed ? texts.confirm : t('review')}
      isDangerous={isReviewed && texts.isDangerous === true}
      reason={reason}
      onReason={setReason}
      error={carryOut.error ?? review.error}
      isPending={review.isPending || carryOut.isPending}
      isDone={isDone}
      preview={
        <>
          {isDoubtful(carryOut.error) && <Notice look="warn">{t('mayBeDone')}</Notice>}
          {isDone && <Notice look="info">{t('doneBefore')}</Notice>}
          {isReviewed && !isDone && result !== undefined && <Preview {...result} />}
        </>
      }
      onSubmit={() => {
        carryOut.reset()
        if (isReviewed) carryOut.mutate(now)
        else review.mutate(now)
      }}
    />
  )
}

/** Whether the server knows its key: the balance moved when it was asked the first time. */
function wasDoneBefore({ balance_before: before }: BalanceChange): boolean {
  return before === null
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
