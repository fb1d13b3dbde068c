import type { OperationInput } from '@svc/contracts/admin/operations'
import type { PricePreview } from '@svc/contracts/admin/prices'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callAdmin } from '../../../api/admin.ts'
import type { ApiError } from '../../../api/api-error.ts'
import { useOnceKey } from '../../../api/once-key.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Form, FormProblem } from '../../../ui/forms/form.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { t } from '../operator-text.ts'
import { OldAndNew } from './old-and-new.tsx'
import { RateFields, type TypedRates } from './rate-fields.tsx'

const DEFAULT_LIST = 'default'

/** A price from a moment on: first shown beside the one that it replaces, then published. */
export function NewPrice({ onClose }: { readonly onClose: () => void }) {
  const [model, setModel] = useState('')
  const [list, setList] = useState(DEFAULT_LIST)
  const [rates, setRates] = useState<TypedRates>({ input: '', cached_input: '', output: '' })
  const [from, setFrom] = useState('')
  const effectiveFrom = from === '' ? null : new Date(from).toISOString()
  const asked = { model, price_list: list, ...rates, effective_from: effectiveFrom }
  const { review, publish, isReviewed } = usePublishing(asked, onClose)
  const error = publish.error ?? review.error
  return (
    <Dialog title={t('newPrice')} onClose={onClose}>
      <Form
        error={error}
        onSubmit={() => {
          publish.reset()
          if (isReviewed) publish.mutate()
          else review.mutate(asked)
        }}
      >
        <p className="text-sm">{t('newPriceText')}</p>
        <Field
          label={t('model')}
          name="model"
          required
          autoFocus
          value={model}
          onChange={({ target }) => setModel(target.value.trim())}
        />
        <Field
          label={t('priceList')}
          name="price_list"
          required
          value={list}
          onChange={({ target }) => setList(target.value.trim())}
        />
        <RateFields rates={rates} onChange={setRates} />
        <Field
          label={t('inForceFrom')}
          name="effective_from"
          hint={t('inForceHint')}
          type="datetime-local"
          value={from}
          onChange={({ target }) => setFrom(target.value)}
        />
        <FormProblem />
        {isReviewed && review.data !== undefined && <Preview preview={review.data} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="main" type="submit" disabled={review.isPending || publish.isPending}>
            {t(isReviewed ? 'publish' : 'review')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

/** The two steps of a price: whoever types on after the review reviews again. */
function usePublishing(asked: OperationInput<'previewPrice'>, onPublished: () => void) {
  const [reviewed, setReviewed] = useState<string>()
  const keyOf = useOnceKey()
  const client = useQueryClient()
  const review = useMutation<PricePreview, ApiError, typeof asked>({
    mutationFn: (sent) => callAdmin('previewPrice', sent),
    // Whoever waited for the answer may have typed on: that is not what it is about.
    onSuccess: (_, sent) => setReviewed(JSON.stringify(sent)),
  })
  // Doubts stand above the button: who presses it means the price as it is, beside the old one that
  // stands there. Somebody else may have published since the review.
  const confirm = (review.data?.doubts ?? []).length > 0
  const replaces = review.data?.replaces?.version ?? null
  const publish = useMutation<unknown, ApiError>({
    mutationFn: () =>
      callAdmin('publishPrice', { ...asked, confirm, replaces, idempotency_key: keyOf(asked) }),
    onError: ({ code, param }) => {
      if (code === 'confirmation_required' || param === 'replaces') setReviewed(undefined)
    },
    onSuccess: async () => {
      onPublished()
      await client.invalidateQueries()
    },
  })
  return { review, publish, isReviewed: reviewed === JSON.stringify(asked) }
}

function Preview({ preview }: { readonly preview: PricePreview }) {
  const { replaced_by: next } = preview
  return (
    <>
      <OldAndNew before={preview.replaces} after={preview} />
      <p className="text-sm">
        {t('inForceFrom')}: <Moment at={preview.effective_from} />
      </p>
      {next !== null && (
        <p className="text-sm">
          {t('replacedAt')}: <Moment at={next.effective_from} />
        </p>
      )}
      {preview.doubts.map((doubt) => (
        <Notice key={doubt} look="warn">
          {doubt}
        </Notice>
      ))}
    </>
  )
}
