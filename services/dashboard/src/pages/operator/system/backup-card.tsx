import { useQuery } from '@tanstack/react-query'
import { askAdmin, useMay } from '../../../api/admin.ts'
import { problemText } from '../../../text/problems.ts'
import { Card } from '../../../ui/card.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { t } from '../operator-text.ts'
import { WorkCard } from '../running/work-card.tsx'

/** When the data folder was last backed up; those who may back it up now. */
export function BackupCard() {
  const may = useMay()
  if (!may('backUp')) {
    return (
      <Card title={t('backup')}>
        <LastBackup />
      </Card>
    )
  }
  return (
    <WorkCard
      title={t('backup')}
      text={t('backupText')}
      startName={t('backupNow')}
      operation="backUp"
      input={{}}
      shareOf={({ done, total }) => (total === 0 ? 0 : done / total)}
    >
      {() => <LastBackup />}
    </WorkCard>
  )
}

function LastBackup() {
  const { data, error } = useQuery(askAdmin('lastBackup', {}))
  // A server that is older than the page cannot tell: then nothing is said.
  if (error?.code === 'not_found') return null
  if (error !== null) return <Notice look="bad">{problemText(error)}</Notice>
  if (data === undefined) return null
  const { backup } = data
  if (backup === null) return <Notice look="warn">{t('backupNone')}</Notice>
  return (
    <p className="text-sm">
      {t('lastBackup')} <Moment at={backup.written_at} />
      <code className="block text-xs wrap-anywhere text-soft">{backup.folder}</code>
    </p>
  )
}
