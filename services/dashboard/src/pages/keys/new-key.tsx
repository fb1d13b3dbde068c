import { useState } from 'react'
import { useMaking } from '../../api/queries.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Form, FormProblem } from '../../ui/forms/form.tsx'
import { Secret } from './secret.tsx'

export interface NewKeyProps {
  readonly accountId: string
  readonly onClose: () => void
}

/** Asks for a name, then shows the secret once: it stays until somebody says that they have it. */
export function NewKey({ accountId, onClose }: NewKeyProps) {
  const [name, setName] = useState('')
  const create = useMaking('createAccountKey')
  const { data, error, isPending } = create
  if (data !== undefined) {
    return (
      <Dialog title={t('keyMade', { name })} isSticky onClose={onClose}>
        <Secret secret={data.secret} onStored={onClose} />
      </Dialog>
    )
  }
  return (
    <Dialog title={t('newKey')} onClose={onClose}>
      <Form
        error={error}
        onSubmit={() => create.mutate({ account_id: accountId, name, expires_at: null })}
      >
        <Field
          label={t('name')}
          name="name"
          hint={t('keyNameHint')}
          required
          autoFocus
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <FormProblem />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="main" type="submit" disabled={isPending}>
            {t('createKey')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
