import { useChange } from '../../api/queries.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { t } from '../../text/translate.ts'
import { RenameDialog } from '../rename-dialog.tsx'
import type { KeyDialogProps } from './key-dialog.ts'

/** Another name, from now on shown wherever the key is named. */
export function RenameKey({ apiKey: { key_id, name }, onClose }: KeyDialogProps) {
  const account_id = useAccountId()
  const rename = useChange('renameAccountKey')
  return (
    <RenameDialog
      title={t('renameKey', { name })}
      label={t('name')}
      name={name}
      renaming={rename}
      onRename={(next) => rename.mutate({ account_id, key_id, name: next }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
