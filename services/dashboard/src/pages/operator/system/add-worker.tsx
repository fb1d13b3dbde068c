import { useState } from 'react'
import { useAdminChange } from '../../../api/admin.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Form, FormProblem } from '../../../ui/forms/form.tsx'
import { t } from '../operator-text.ts'

/** A worker that runs already is used from now on, until the server ends. */
export function AddWorker({ onClose }: { readonly onClose: () => void }) {
  const [url, setUrl] = useState('')
  const add = useAdminChange('addWorker')
  return (
    <Dialog title={t('addWorker')} onClose={onClose}>
      <Form
        error={add.error}
        onSubmit={() => add.mutate({ worker_id: null, url }, { onSuccess: onClose })}
      >
        <p className="text-sm">{t('addWorkerEffect')}</p>
        <Field
          label={t('workerUrl')}
          name="url"
          hint={t('workerUrlHint')}
          required
          autoFocus
          value={url}
          onChange={({ target }) => setUrl(target.value.trim())}
        />
        <FormProblem />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="main" type="submit" disabled={add.isPending}>
            {t('addWorker')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
