import { useQuery } from '@tanstack/react-query'
import { ask, useChange } from '../../api/queries.ts'
import { serverNow } from '../../api/server-clock.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { problemText } from '../../text/problems.ts'
import { countText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Age } from '../../ui/moment.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { KeyDialogProps } from './key-dialog.ts'

/** Says what ends with the key before it does. */
export function RevokeKey({ apiKey, onClose }: KeyDialogProps) {
  const account_id = useAccountId()
  const revoke = useChange('revokeAccountKey')
  const { data } = useQuery(
    ask('usage', { account_id, key_id: apiKey.key_id, from: aDayAgo(), by: 'day', limit: 1 }),
  )
  const lately = data?.total.requests ?? undefined
  return (
    <Dialog title={t('revokeKey', { name: apiKey.name })} onClose={onClose}>
      <div className="flex flex-col gap-4 text-left whitespace-normal">
        <p>{t('revokeEffect')}</p>
        <p className="text-sm text-soft">
          {t('lastUsed')}: <Age at={apiKey.last_used_at} />.{' '}
          {lately !== undefined && t('requestsLately', { count: countText(lately) })}{' '}
          {t('requestsSoFar', { count: countText(apiKey.requests) })}
        </p>
        {revoke.error !== null && <Notice look="bad">{problemText(revoke.error)}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            look="danger"
            disabled={revoke.isPending}
            onClick={() =>
              revoke.mutate({ account_id, key_id: apiKey.key_id }, { onSuccess: onClose })
            }
          >
            {t('revoke')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

const DAY_MS = 86_400_000
const QUARTER_MS = 900_000

/** Usage is known by quarters of an hour; within one the question stays the same. */
function aDayAgo(): string {
  const from = Math.floor((serverNow() - DAY_MS) / QUARTER_MS) * QUARTER_MS
  return new Date(from).toISOString()
}
