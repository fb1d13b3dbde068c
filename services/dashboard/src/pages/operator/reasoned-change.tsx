import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { useOnceKey } from '../../api/once-key.ts'
import { problemText } from '../../text/problems.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'

export interface ReasonedChangeProps {
  readonly title: string
  /** What it does, before it is done. */
  readonly effect: string
  readonly confirm: string
  readonly isDangerous?: boolean
  /** What is asked beside the reason: other content is another change, with another key. */
  readonly about?: object
  readonly change: (asked: ReasonedAsk) => Promise<unknown>
  readonly children?: ReactNode
  readonly onClose: () => void
}

export interface ReasonedAsk {
  readonly reason: string
  readonly idempotency_key: string
}

/** A change that moves no money: said before what it does, and done with a reason. */
export function ReasonedChange(props: ReasonedChangeProps) {
  const { title, effect, confirm, isDangerous, about = {}, change, children, onClose } = props
  const [reason, setReason] = useState('')
  const keyOf = useOnceKey()
  const client = useQueryClient()
  const carryOut = useMutation<unknown, ApiError>({
    mutationFn: () => change({ reason, idempotency_key: keyOf({ ...about, reason }) }),
    onSuccess: async () => {
      onClose()
      await client.invalidateQueries()
    },
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="flex flex-col gap-4 text-left whitespace-normal"
        onSubmit={(event) => {
          event.preventDefault()
          carryOut.mutate()
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
        {carryOut.error !== null && <Notice look="bad">{problemText(carryOut.error)}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            look={isDangerous ? 'danger' : 'main'}
            type="submit"
            disabled={carryOut.isPending}
          >
            {confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
