import type { AuditedWorker, AuditResult } from '@svc/contracts/admin/workers'
import { useMay } from '../../../api/admin.ts'
import { useWork } from '../../../api/admin-lines.ts'
import { countText } from '../../../text/times.ts'
import { t } from '../../../text/translate.ts'
import { Card } from '../../../ui/card.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Progress } from '../running/progress.tsx'
import { WorkButton, WorkProblem } from '../running/work-buttons.tsx'

/** Blocks that each worker computes again. */
const SAMPLE = 100

/** Has every ready worker compute cached blocks again: a wrong block would be a wrong answer. */
export function CacheAudit() {
  const may = useMay()
  const work = useWork('auditCache')
  if (!may('auditCache')) return null
  const { result } = work.newest as { readonly result?: AuditResult }
  const workers = work.lines.filter((line): line is AuditedWorker => line.type === 'worker')
  const action = (
    <WorkButton
      work={work}
      name={t('auditCacheNow')}
      onStart={() => work.start({ sample: SAMPLE })}
    />
  )
  return (
    <Card title={t('prefixCache')} action={action}>
      <div className="flex flex-col gap-3 text-sm">
        <p className="text-soft">{t('auditCacheText', { count: SAMPLE })}</p>
        {work.isRunning && <Progress label={t('prefixCache')} share={null} />}
        <WorkProblem work={work} />
        {workers.map(({ worker_id: id, checked, differing, problem }) => (
          <p key={id}>
            {problem === null
              ? t('workerAudited', {
                  id,
                  count: countText(checked.l1 + checked.l2),
                  differing: countText(differing.length),
                })
              : t('workerUnaudited', { id, problem })}
          </p>
        ))}
        {result !== undefined && (
          <Notice look={result.differing === 0 ? 'good' : 'bad'}>
            {t(result.differing === 0 ? 'cacheAgrees' : 'cacheDiffers', {
              count: countText(result.checked.l1 + result.checked.l2),
              differing: countText(result.differing),
            })}
          </Notice>
        )}
      </div>
    </Card>
  )
}
