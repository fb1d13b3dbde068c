import type { ServiceStatus } from '@svc/contracts/admin/workers'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { askAdmin, useMay } from '../../../api/admin.ts'
import { countText } from '../../../text/times.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card, Figure, Figures } from '../../../ui/card.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { HoldList } from '../account/hold-list.tsx'
import { t } from '../operator-text.ts'
import { AddWorker } from './add-worker.tsx'
import { BackupCard } from './backup-card.tsx'
import { CacheAudit } from './cache-audit.tsx'
import { FeedCard, TopUpsCard } from './kafka-cards.tsx'
import { ProjectionTable } from './projection-table.tsx'
import { WorkerTable } from './worker-table.tsx'

/** How often the states are asked for while the page is open, in milliseconds. */
const REFRESH_MS = 2_000

/** How every part is: event log, views, workers, what runs. */
export function System() {
  const may = useMay()
  const [isAdding, setAdding] = useState(false)
  const query = useQuery({ ...askAdmin('status', {}), refetchInterval: REFRESH_MS })
  const projections = useQuery({
    ...askAdmin('listProjections', {}),
    refetchInterval: REFRESH_MS,
  })
  const workers = useQuery({ ...askAdmin('listWorkers', {}), refetchInterval: REFRESH_MS })
  return (
    <Page title={t('system')}>
      <Answer query={query}>{(status) => <Status status={status} />}</Answer>
      <Card title={t('projections')}>
        <Answer query={projections}>{(views) => <ProjectionTable projections={views} />}</Answer>
      </Card>
      <Card
        title={t('workers')}
        action={
          may('addWorker') && <Button onClick={() => setAdding(true)}>{t('addWorker')}</Button>
        }
      >
        <Answer query={workers}>{(shown) => <WorkerTable workers={shown} />}</Answer>
      </Card>
      {isAdding && <AddWorker onClose={() => setAdding(false)} />}
      <BackupCard />
      <CacheAudit />
      <Card title={t('holdsOfAll')}>
        <HoldList />
      </Card>
    </Page>
  )
}

function Status({ status }: { readonly status: ServiceStatus }) {
  const { store, feed, top_ups: topUps, unpriced_models: unpriced, priced_from: from } = status
  return (
    <>
      {problemsOf(store, feed, topUps).map((problem) => (
        <Notice key={problem} look="bad">
          {problem}
        </Notice>
      ))}
      {unpriced.length > 0 && (
        <Notice look="warn">
          {t('unpriced', { models: unpriced.join(', ') })}
          {from !== null && (
            <>
              {' '}
              {t('pricedFrom')}: <Moment at={from} />
            </>
          )}
        </Notice>
      )}
      <Card title={t('eventLog')}>
        <Figures>
          <Figure name={t('store')}>{store.kind}</Figure>
          <Figure name={t('position')}>
            {store.position === null ? t('unavailable') : countText(Number(store.position))}
          </Figure>
          <Figure name={t('accounts')}>{countOf(status.accounts)}</Figure>
          <Figure name={t('runningNow')}>{countOf(status.open_requests)}</Figure>
        </Figures>
      </Card>
      {feed && <FeedCard feed={feed} storeKind={store.kind} />}
      {topUps && <TopUpsCard topUps={topUps} />}
    </>
  )
}

/** What is wrong with the store, and with what is sent to Kafka and taken from it. */
function problemsOf(
  ...parts: readonly ({ readonly problems: readonly string[] } | null | undefined)[]
): readonly string[] {
  return parts.flatMap((part) => part?.problems ?? [])
}

/** A gateway without views counts nothing of what is in them. */
function countOf(count: number | null): string {
  return count === null ? t('unavailable') : countText(count)
}
