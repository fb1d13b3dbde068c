import type { WorkerDetails } from '@svc/contracts/admin/workers'
import { shareText } from '@svc/contracts/share-text'
import { useState } from 'react'
import { useAdminChange, useMay } from '../../../api/admin.ts'
import { problemText } from '../../../text/problems.ts'
import { countText } from '../../../text/times.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { ConfirmedChange } from '../../confirmed-change.tsx'
import { t } from '../operator-text.ts'

/** Each worker: its health, its load, and what its cache saves. */
export function WorkerTable({ workers }: { readonly workers: readonly WorkerDetails[] }) {
  const may = useMay()
  const drain = useAdminChange('drainWorker')
  const [asked, setAsked] = useState<AskedOf>()
  if (workers.length === 0) return <Empty title={t('noWorkers')} />
  return (
    <>
      {drain.error !== null && <Notice look="bad">{problemText(drain.error)}</Notice>}
      <Table label={t('workers')} head={<WorkerHead />}>
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
                    worker.status === 'draining'
                      ? drain.mutate({ worker_id: worker.worker_id, draining: false })
                      : setAsked({ worker, what: 'drain' })
                  }
                >
                  {t(worker.status === 'draining' ? 'undrain' : 'drain')}
                </Button>
              )}{' '}
              {may('removeWorker') && !worker.supervised && (
                <Button look="danger" onClick={() => setAsked({ worker, what: 'remove' })}>
                  {t('remove')}
                </Button>
              )}
            </Cell>
          </tr>
        ))}
      </Table>
      {asked !== undefined && (
        <AskedOfWorker {...asked} workers={workers} onClose={() => setAsked(undefined)} />
      )}
    </>
  )
}

/** What was pressed, of which worker, and is not confirmed yet. */
interface AskedOf {
  readonly worker: WorkerDetails
  readonly what: 'drain' | 'remove'
}

interface AskedOfWorkerProps extends AskedOf {
  readonly workers: readonly WorkerDetails[]
  readonly onClose: () => void
}

function AskedOfWorker({ worker, what, workers, onClose }: AskedOfWorkerProps) {
  const drain = useAdminChange('drainWorker')
  const remove = useAdminChange('removeWorker')
  const { worker_id: id } = worker
  const ready = workers.filter(({ status }) => status === 'ready')
  const isLast = ready.length === 1 && ready[0]?.worker_id === id
  const effect = t(`${what}WorkerEffect`)
  const texts = {
    title: t(`${what}WorkerTitle`, { id }),
    effect: isLast ? `${effect} ${t('lastReadyWorker')}` : effect,
    confirm: t(what),
    onClose,
  }
  if (what === 'remove')
    return <ConfirmedChange {...texts} change={remove} input={{ worker_id: id }} />
  return <ConfirmedChange {...texts} change={drain} input={{ worker_id: id, draining: true }} />
}

function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? '–' : shareText(share)
}

function WorkerHead() {
  return (
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
}
