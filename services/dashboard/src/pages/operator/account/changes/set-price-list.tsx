import { useState } from 'react'
import { useAdminChange } from '../../../../api/admin.ts'
import { problemText } from '../../../../text/problems.ts'
import { Button } from '../../../../ui/button.tsx'
import { Dialog } from '../../../../ui/dialog.tsx'
import { Field } from '../../../../ui/field.tsx'
import { Notice } from '../../../../ui/notice.tsx'
import { t } from '../../operator-text.ts'
import type { AccountDialogProps } from './account-dialog.ts'

/** Whose prices an account pays from now on. */
export function SetPriceList({ account, onClose }: AccountDialogProps) {
  const [list, setList] = useState(account.price_list)
  const set = useAdminChange('setPriceList')
  return (
    <Dialog title={t('setPriceList')} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          set.mutate({ account_id: account.account_id, price_list: list }, { onSuccess: onClose })
        }}
      >
        <p className="text-sm">{t('priceListEffect')}</p>
        <Field
          label={t('priceList')}
          required
          autoFocus
          value={list}
          onChange={({ target }) => setList(target.value)}
        />
        {set.error !== null && <Notice look="bad">{problemText(set.error)}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="main" type="submit" disabled={set.isPending}>
            {t('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
