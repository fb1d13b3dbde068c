import { useQuery } from '@tanstack/react-query'
import { publicPrices } from '../../api/public-prices.ts'
import { useSession } from '../../api/session.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { FirstCall } from '../first-call.tsx'
import { PriceTable } from './price-table.tsx'

/** Tells everybody what tokens cost and how to call the server. */
export function Prices() {
  const { base_url: baseUrl } = useSession()
  const query = useQuery(publicPrices)
  return (
    <Page title={t('prices')}>
      <Card title={t('perMillion')}>
        <Answer query={query}>{({ data }) => <PriceTable models={data} />}</Answer>
        <ul className="mt-4 list-disc pl-5 text-sm">
          <li>{t('ruleCached')}</li>
          <li>{t('ruleStopped')}</li>
          <li>{t('ruleFailed')}</li>
          <li>{t('rulePinned')}</li>
        </ul>
      </Card>
      <Card title={t('howToCall')}>
        <FirstCall baseUrl={baseUrl} />
      </Card>
    </Page>
  )
}
