import type { AuditedWorker, AuditResult } from '@svc/contracts/admin/workers'
import { useMay } from '../../../api/admin.ts'
import { countText } from '../../../text/times.ts'
import { Notice } from '../../../ui/notice.tsx'
import { t } from '../operator-text.ts'
import { WorkCard } from '../running/work-card.tsx'

/** Blocks that each worker computes again. */
const SAMPLE = 100

/** Has every ready worker compute cached blocks again: a wrong block would be a wrong answer. */
export function CacheAudit() {
  const may = useMay()
  if (!may('auditCache')) return null
  return (
    <WorkCard
      title={t('prefixCache')}
      text={t('auditCacheText', { count: SAMPLE })}
      startName={t('auditCacheNow')}
      operation="auditCache"
      input={{ sample: SAMPLE }}
    >
      {(result, lines) => (
        <>
          {lines.map((line) => line.type === 'worker' && <Worker key={line.worker_id} {...line} />)}
          {result !== undefined && <Result {...result} />}
        </>
      )}
    </WorkCard>
  )
}

function Worker({ worker_id: id, checked, differing, problem }: AuditedWorker) {
  const compared = {
    count: countText(checked.l1 + checked.l2),
    differing: countText(differing.length),
  }
  return (
    <p className="text-sm">
      {problem === null
        ? t('workerAudited', { id, ...compared })
        : t('workerUnaudited', { id, problem })}
    </p>
  )
}

function Result({ checked, differing }: AuditResult) {
  return (
    <Notice look={differing === 0 ? 'good' : 'bad'}>
      {t(differing === 0 ? 'cacheAgrees' : 'cacheDiffers', {
        count: countText(checked.l1 + checked.l2),
        differing: countText(differing),
      })}
    </Notice>
  )
}
