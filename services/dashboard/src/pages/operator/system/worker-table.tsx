import type { WorkerDetails } from '@svc/contracts/admin/workers'
import { useAdminChange, useMay } from '../../../api/admin.ts'
import { problemText } from '../../../text/problems.ts'
import { countText } from '../../../text/times.ts'
import { t } from '../../../text/translate.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'

/** Each worker: its health, its load, and what its cache saves. */
export function WorkerTable({ workers }: { readonly workers: readonly WorkerDetails[] }) {
  const may = useMay()
  const drain = useAdminChange('drainWorker')
  if (workers.length === 0) return <Empty title={t('noWorkers')} />
  const head = (
    <>
      <Head>{t('worker')}</Head>
      <Head>{t('status')}</Head>
      <Head>{t('model')}</Head>
      <Head isNumber>{t('runningNow')}</Head>
      <Head isNumber>{t('queued')}</Head>
      <Head isNumber>{t('tokenHitRate')}</Head>
      <Head isNumber>{t('restarts')}</Head>
      <Head>
        <span className="sr-only">{t('actions')}</span>
      </Head>
    </>
  )
  return (
    <>
      {drain.error !== null && <Notice look="bad">{problemText(drain.error)}</Notice>}
      <Table label={t('workers')} head={head}>
        {workers.map((worker) => (
          <tr key={worker.worker_id}>
            <Cell>
              {worker.worker_id}
              {worker.problem !== null && <p className="text-sm text-bad">{worker.problem}</p>}
            </Cell>
            <Cell>
              <Badge text={worker.status} look={worker.status === 'ready' ? 'good' : 'warn'} />
            </Cell>
            <Cell>{worker.model_name}</Cell>
            <Cell isNumber>
              {worker.load === null
                ? '–'
                : `${worker.load.running} / ${countText(worker.load.sequences)}`}
            </Cell>
            <Cell isNumber>{worker.load === null ? '–' : countText(worker.load.queued)}</Cell>
            <Cell isNumber>{percent(worker.cache?.use?.token_hit_rate)}</Cell>
            <Cell isNumber>{countText(worker.restarts)}</Cell>
            <Cell isNumber>
              {may('drainWorker') && (
                <Button
                  disabled={drain.isPending}
                  onClick={() =>
                    drain.mutate({
                      worker_id: worker.worker_id,
                      draining: worker.status !== 'draining',
                    })
                  }
                >
                  {t(worker.status === 'draining' ? 'undrain' : 'drain')}
                </Button>
              )}
            </Cell>
          </tr>
        ))}
      </Table>
    </>
  )
}

function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? '–' : `${(share * 100).toFixed(1)} %`
}
