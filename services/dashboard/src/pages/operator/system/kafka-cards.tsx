import type { ServiceStatus } from '@svc/contracts/admin/workers'
import { countText, durationText } from '../../../text/times.ts'
import { Card, Figure, Figures } from '../../../ui/card.tsx'
import { t } from '../operator-text.ts'

const SECOND_MS = 1_000

interface FeedCardProps {
  readonly feed: NonNullable<ServiceStatus['feed']>
  /** Of the store, which counts its positions. */
  readonly storeKind: string
}

/** How far the topic of the ledger's events is behind the log. */
export function FeedCard({ feed, storeKind }: FeedCardProps) {
  const { topic, lag, waiting_seconds: waiting } = feed
  const behind = storeKind === 'eventstoredb' ? 'bytesBehind' : 'behind'
  return (
    <Card title={t('feed')}>
      <Figures>
        <Figure name={t('topic')}>{topic}</Figure>
        <Figure name={t(behind)}>{lag === null ? t('unavailable') : countText(Number(lag))}</Figure>
        <Figure name={t('waitingFor')}>
          {waiting === 0 ? '–' : durationText(waiting * SECOND_MS)}
        </Figure>
      </Figures>
    </Card>
  )
}

interface TopUpsCardProps {
  readonly topUps: NonNullable<ServiceStatus['top_ups']>
}

/** The payments that this server takes from Kafka. */
export function TopUpsCard({ topUps }: TopUpsCardProps) {
  const { topic, waiting, granted, repeated, dead } = topUps
  return (
    <Card title={t('topUps')}>
      <Figures>
        <Figure name={t('topic')}>{topic}</Figure>
        <Figure name={t('topUpsWaiting')}>
          {waiting === null ? '–' : countText(Number(waiting))}
        </Figure>
        <Figure name={t('topUpsGranted')}>{countText(granted)}</Figure>
        <Figure name={t('topUpsKnown')}>{countText(repeated)}</Figure>
        <Figure name={t('topUpsDead')}>{countText(dead)}</Figure>
      </Figures>
    </Card>
  )
}
