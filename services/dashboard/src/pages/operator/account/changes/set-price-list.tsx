import { useState } from 'react'
import { useAdminChange } from '../../../../api/admin.ts'
import { Button } from '../../../../ui/button.tsx'
import { Dialog } from '../../../../ui/dialog.tsx'
import { Field } from '../../../../ui/forms/field.tsx'
import { Form, FormProblem } from '../../../../ui/forms/form.tsx'
import { t } from '../../operator-text.ts'
import type { AccountDialogProps } from './account-dialog.ts'

/** Whose prices an account pays from now on. */
export function SetPriceList({ account, onClose }: AccountDialogProps) {
  const [list, setList] = useState(account.price_list)
  const set = useAdminChange('setPriceList')
  return (
    <Dialog title={t('setPriceList')} onClose={onClose}>
      <Form
        error={set.error}
        onSubmit={() =>
          set.mutate({ account_id: account.account_id, price_list: list }, { onSuccess: onClose })
        }
      >
        <p className="text-sm">{t('priceListEffect')}</p>
        <Field
          label={t('priceList')}
          name="price_list"
          required
          autoFocus
          value={list}
          onChange={({ target }) => setList(target.value)}
        />
        <FormProblem />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="main" type="submit" disabled={set.isPending}>
            {t('save')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
