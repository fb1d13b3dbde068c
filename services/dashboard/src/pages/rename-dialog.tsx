import { useState } from 'react'
import type { ApiError } from '../api/api-error.ts'
import { t } from '../text/translate.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/forms/field.tsx'
import { Form, FormProblem } from '../ui/forms/form.tsx'

export interface RenameDialogProps {
  readonly title: string
  readonly label: string
  /** The name before the change. */
  readonly name: string
  readonly renaming: { readonly error: ApiError | null; readonly isPending: boolean }
  readonly onRename: (name: string) => void
  readonly onClose: () => void
}

/** Asks for another name. */
export function RenameDialog(props: RenameDialogProps) {
  const { title, label, renaming, onRename, onClose } = props
  const [name, setName] = useState(props.name)
  return (
    <Dialog title={title} onClose={onClose}>
      <Form error={renaming.error} onSubmit={() => onRename(name)}>
        <Field
          label={label}
          name="name"
          required
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <FormProblem />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="main" type="submit" disabled={renaming.isPending}>
            {t('save')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
