import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { problemText } from '../../text/problems.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { KeyDialogProps } from './key-dialog.ts'

/** Another name, from now on shown wherever the key is named. */
export function RenameKey({ apiKey, onClose }: KeyDialogProps) {
  const account_id = useAccountId()
  const [name, setName] = useState(apiKey.name)
  const rename = useChange('renameAccountKey')
  return (
    <Dialog title={t('renameKey', { name: apiKey.name })} onClose={onClose}>
      <form
        className="flex flex-col gap-4 text-left"
        onSubmit={(event) => {
          event.preventDefault()
          rename.mutate({ account_id, key_id: apiKey.key_id, name }, { onSuccess: onClose })
        }}
      >
        <Field
          label={t('name')}
          required
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        {rename.error !== null && <Notice look="bad">{problemText(rename.error)}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="main" type="submit" disabled={rename.isPending}>
            {t('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
