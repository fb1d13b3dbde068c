import type { UseMutationResult } from '@tanstack/react-query'
import type { ApiError } from '../api/api-error.ts'
import { problemText } from '../text/problems.ts'
import { t } from '../text/translate.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'

export interface ConfirmedChangeProps<Input> {
  readonly title: string
  /** What it does, before it is done. */
  readonly effect: string
  readonly confirm: string
  readonly change: Pick<
    UseMutationResult<unknown, ApiError, Input>,
    'mutate' | 'error' | 'isPending' | 'reset'
  >
  readonly input: Input
  readonly onClose: () => void
}

/** A change that a slip must not make, and that needs no reason: said before, and asked once. */
export function ConfirmedChange<Input>(props: ConfirmedChangeProps<Input>) {
  const { title, effect, confirm, change, input } = props
  const onClose = () => {
    // The next question must not begin with what went wrong in this one.
    change.reset()
    props.onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p className="text-sm">{effect}</p>
        {change.error !== null && <Notice look="bad">{problemText(change.error)}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            look="danger"
            disabled={change.isPending}
            onClick={() => change.mutate(input, { onSuccess: onClose })}
          >
            {confirm}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
