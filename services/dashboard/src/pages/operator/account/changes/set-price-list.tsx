import { useContext, useState } from 'react'
import { useAdminChange } from '../../../../api/admin.ts'
import { ShownZone } from '../../../../text/shown-zone.ts'
import { momentText } from '../../../../text/times.ts'
import { Button } from '../../../../ui/button.tsx'
import { Dialog } from '../../../../ui/dialog.tsx'
import { Field } from '../../../../ui/forms/field.tsx'
import { Form, FormProblem } from '../../../../ui/forms/form.tsx'
import { Notice } from '../../../../ui/notice.tsx'
import { t } from '../../operator-text.ts'
import type { AccountDialogProps } from './account-dialog.ts'

const DEFAULT_LIST = 'default'

/** Whose prices an account pays from now on, and since when where that is later. */
export function SetPriceList({ account, onClose }: AccountDialogProps) {
  const [list, setList] = useState(account.price_list)
  const set = useAdminChange('setPriceList')
  const zone = useContext(ShownZone)
  if (set.data !== undefined && set.data.starts_at !== null) {
    const { price_list, starts_at } = set.data
    const later = price_list === DEFAULT_LIST ? 'priceListLaterDefault' : 'priceListLater'
    return (
      <Dialog title={t('priceListSet', { list: price_list })} onClose={onClose}>
        <div className="flex flex-col gap-4">
          <Notice look="warn">{t(later, { time: momentText(starts_at, zone) })}</Notice>
          <div className="flex justify-end">
            <Button onClick={onClose}>{t('close')}</Button>
          </div>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={t('setPriceList')} onClose={onClose}>
      <Form
        error={set.error}
        onSubmit={() =>
          set.mutate(
            { account_id: account.account_id, price_list: list },
            { onSuccess: ({ starts_at: startsAt }) => startsAt === null && onClose() },
          )
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
