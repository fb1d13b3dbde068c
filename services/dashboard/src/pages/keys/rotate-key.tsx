import { useState } from 'react'
import { useMaking } from '../../api/queries.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { problemText } from '../../text/problems.ts'
import { momentText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Choice } from '../../ui/forms/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { KeyDialogProps } from './key-dialog.ts'
import { Secret } from './secret.tsx'

const HOUR_SECONDS = 3_600
const DAY_SECONDS = 24 * HOUR_SECONDS

const overlaps = [
  ['0', t('overlapNone')],
  [String(HOUR_SECONDS), t('overlapHour')],
  [String(DAY_SECONDS), t('overlapDay')],
  [String(7 * DAY_SECONDS), t('overlapWeek')],
] as const

/** A new secret under the same name; the old one works on for a while. */
export function RotateKey({ apiKey, onClose }: KeyDialogProps) {
  const account_id = useAccountId()
  const [overlap, setOverlap] = useState<string>(String(DAY_SECONDS))
  const rotate = useMaking('rotateAccountKey')
  if (rotate.data !== undefined) {
    return (
      <Dialog title={t('keyMade', { name: apiKey.name })} isSticky onClose={onClose}>
        <div className="flex flex-col gap-4 text-left whitespace-normal">
          <p>{t('oldKeyEnds', { time: momentText(rotate.data.old_key_ends_at) })}</p>
          <Secret secret={rotate.data.secret} onStored={onClose} />
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={t('rotateKey', { name: apiKey.name })} onClose={onClose}>
      <div className="flex flex-col gap-4 text-left whitespace-normal">
        <p>{t('rotateEffect')}</p>
        <Choice label={t('overlap')} value={overlap} options={overlaps} onChoose={setOverlap} />
        {rotate.error !== null && <Notice look="bad">{problemText(rotate.error)}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            look="main"
            disabled={rotate.isPending}
            onClick={() =>
              rotate.mutate({
                account_id,
                key_id: apiKey.key_id,
                overlap_seconds: Number(overlap),
              })
            }
          >
            {t('rotate')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
