import type { PriceDetails } from '@svc/contracts/admin/prices'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { askAdmin, callAdmin, useMay } from '../../../api/admin.ts'
import { serverNow } from '../../../api/server-clock.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Page } from '../../../ui/page.tsx'
import { t } from '../operator-text.ts'
import { ReasonedChange } from '../reasoned-change.tsx'
import { CorrectPrice } from './correct-price.tsx'
import { NewPrice } from './new-price.tsx'
import { PublishedPrices } from './published-prices.tsx'

/** Every price that was ever published, announced ones among them. */
export function OperatorPrices() {
  const may = useMay()
  const [isPublishing, setPublishing] = useState(false)
  const [withdrawn, setWithdrawn] = useState<PriceDetails>()
  const [corrected, setCorrected] = useState<PriceDetails>()
  const query = useQuery(askAdmin('listPrices', {}))
  const publish = may('publishPrice') && (
    <Button look="main" onClick={() => setPublishing(true)}>
      {t('newPrice')}
    </Button>
  )
  return (
    <Page title={t('prices')} action={publish}>
      <Card title={t('perMillion')}>
        <Answer query={query}>
          {(prices) =>
            prices.length === 0 ? (
              <Empty title={t('noPrices')} />
            ) : (
              <PublishedPrices
                prices={prices}
                actionsOf={(price) =>
                  isAhead(price)
                    ? may('withdrawPrice') && (
                        <Button look="danger" onClick={() => setWithdrawn(price)}>
                          {t('withdraw')}
                        </Button>
                      )
                    : may('correctPrice') &&
                      price.withdrawn_at === null && (
                        <Button onClick={() => setCorrected(price)}>{t('correct')}</Button>
                      )
                }
              />
            )
          }
        </Answer>
      </Card>
      {isPublishing && <NewPrice onClose={() => setPublishing(false)} />}
      {corrected !== undefined && (
        <CorrectPrice price={corrected} onClose={() => setCorrected(undefined)} />
      )}
      {withdrawn !== undefined && (
        <ReasonedChange
          title={t('withdrawTitle', { version: withdrawn.version })}
          effect={t('withdrawEffect')}
          confirm={t('withdraw')}
          isDangerous
          // A price that was withdrawn stays so: there is nothing that could happen twice.
          change={({ reason }) =>
            callAdmin('withdrawPrice', { version: withdrawn.version, reason })
          }
          onClose={() => setWithdrawn(undefined)}
        />
      )}
    </Page>
  )
}

function isAhead({ effective_from: from, withdrawn_at: withdrawn }: PriceDetails): boolean {
  return withdrawn === null && Date.parse(from) > serverNow()
}
