import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { useOnceKey } from '../../api/once-key.ts'
import { ChangeForm, type ChangeTexts } from './change-form.tsx'

export interface ReasonedChangeProps extends ChangeTexts {
  /** What is asked beside the reason: other content is another change, with another key. */
  readonly about?: object
  readonly change: (asked: ReasonedAsk) => Promise<unknown>
}

export interface ReasonedAsk {
  readonly reason: string
  readonly idempotency_key: string
}

/** A change that moves no money: said before what it does, and done with a reason. */
export function ReasonedChange({ about = {}, change, ...texts }: ReasonedChangeProps) {
  const [reason, setReason] = useState('')
  const keyOf = useOnceKey()
  const client = useQueryClient()
  const carryOut = useMutation<unknown, ApiError>({
    mutationFn: () => change({ reason, idempotency_key: keyOf({ ...about, reason }) }),
    onSuccess: async () => {
      // Before the form goes: the focus goes back to its button, which may be gone with the change.
      await client.invalidateQueries()
      texts.onClose()
    },
  })
  return (
    <ChangeForm
      {...texts}
      reason={reason}
      onReason={setReason}
      error={carryOut.error}
      isPending={carryOut.isPending}
      onSubmit={carryOut.mutate}
    />
  )
}
