import { useState } from 'react'
import { useAdminChange } from '../../../api/admin.ts'
import { problemText } from '../../../text/problems.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { t } from '../operator-text.ts'

/** A worker that runs already is used from now on, until the server ends. */
export function AddWorker({ onClose }: { readonly onClose: () => void }) {
  const [url, setUrl] = useState('')
  const add = useAdminChange('addWorker')
  return (
    <Dialog title={t('addWorker')} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          add.mutate({ worker_id: null, url }, { onSuccess: onClose })
        }}
      >
        <p className="text-sm">{t('addWorkerEffect')}</p>
        <Field
          label={t('workerUrl')}
          hint={t('workerUrlHint')}
          required
          autoFocus
          value={url}
          onChange={({ target }) => setUrl(target.value.trim())}
        />
        {add.error !== null && <Notice look="bad">{problemText(add.error)}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="main" type="submit" disabled={add.isPending}>
            {t('addWorker')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
