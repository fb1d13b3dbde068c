import type { ReactNode } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Form, FormProblem } from '../../ui/forms/form.tsx'
import { t } from './operator-text.ts'

/** What is said of a change of an operator's before it is done. */
export interface ChangeTexts {
  readonly title: string
  /** What it does. */
  readonly effect: string
  /** The text on the button that does it. */
  readonly confirm: string
  readonly isDangerous?: boolean
  /** The fields for it, beside the reason. */
  readonly children?: ReactNode
  readonly onClose: () => void
}

export interface ChangeFormProps extends ChangeTexts {
  readonly reason: string
  readonly onReason: (reason: string) => void
  readonly error: ApiError | null
  readonly isPending: boolean
  /** What it comes to, or how far it is, above the buttons. */
  readonly preview?: ReactNode
  /** Whether the form stands at the side, where what it comes to is long. */
  readonly isPanel?: boolean
  /** It is done, and what it came to is read: there is nothing to cancel. */
  readonly isDone?: boolean
  readonly onSubmit: () => void
}

/** The dialog of a change that stands in the log with its reason. */
export function ChangeForm(props: ChangeFormProps) {
  const { title, effect, confirm, isDangerous, children, onClose } = props
  const { reason, onReason, error, isPending, preview, onSubmit } = props
  const { isPanel = false, isDone = false } = props
  return (
    <Dialog title={title} isPanel={isPanel} onClose={onClose}>
      <Form error={error} onSubmit={() => onSubmit()}>
        <p className="text-sm">{effect}</p>
        {children}
        <Field
          label={t('reason')}
          name="reason"
          hint={t('reasonHint')}
          required
          maxLength={500}
          value={reason}
          onChange={({ target }) => onReason(target.value)}
        />
        <FormProblem />
        {preview}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t(isDone ? 'close' : 'cancel')}</Button>
          <Button
            look={isDangerous ? 'danger' : 'main'}
            type="submit"
            disabled={isPending || isDone}
          >
            {confirm}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
