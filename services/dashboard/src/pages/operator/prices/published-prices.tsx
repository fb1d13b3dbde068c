import type { PriceDetails } from '@svc/contracts/admin/prices'
import type { ReactNode } from 'react'
import { serverNow } from '../../../api/server-clock.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { DecimalColumn, finestOf } from '../../../ui/money.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { t } from '../operator-text.ts'

const rates = ['input', 'cached_input', 'output'] as const

export interface PublishedPricesProps {
  readonly prices: readonly PriceDetails[]
  readonly actionsOf: (price: PriceDetails) => ReactNode
}

/** One line for each version, the newest first. */
export function PublishedPrices({ prices, actionsOf }: PublishedPricesProps) {
  const decimals = finestOf(prices.flatMap((price) => rates.map((rate) => price[rate])))
  const newestFirst = prices.toSorted(
    (one, other) => Date.parse(other.effective_from) - Date.parse(one.effective_from),
  )
  const head = (
    <>
      <Head>{t('model')}</Head>
      <Head>{t('priceList')}</Head>
      <Head>{t('priceState')}</Head>
      <Head isNumber>{t('input')}</Head>
      <Head isNumber>{t('cachedInput')}</Head>
      <Head isNumber>{t('output')}</Head>
      <Head>{t('priceSince')}</Head>
      <Head>{t('priceVersion')}</Head>
      <Head>
        <span className="sr-only">{t('actions')}</span>
      </Head>
    </>
  )
  return (
    <Table label={t('prices')} head={head}>
      {newestFirst.map((price) => (
        <tr key={price.version} className="hover:bg-panel" data-row>
          <Cell>{price.model}</Cell>
          <Cell>{price.price_list}</Cell>
          <Cell>
            <PriceState price={price} prices={prices} />
          </Cell>
          {rates.map((rate) => (
            <Cell isNumber key={rate}>
              <DecimalColumn amount={price[rate]} decimals={decimals} />
            </Cell>
          ))}
          <Cell>
            <Moment at={price.effective_from} />
          </Cell>
          <Cell>
            <code className="text-xs">{price.version}</code>
          </Cell>
          <Cell isNumber>{actionsOf(price)}</Cell>
        </tr>
      ))}
    </Table>
  )
}

interface PriceStateProps extends Pick<PublishedPricesProps, 'prices'> {
  readonly price: PriceDetails
}

function PriceState({ price, prices }: PriceStateProps) {
  if (price.withdrawn_at !== null) return <Badge text={t('priceWithdrawn')} look="bad" />
  if (Date.parse(price.effective_from) > serverNow()) {
    return <Badge text={t('priceNext')} look="warn" />
  }
  const isReplaced = prices.some((other) => replaces(other, price))
  return isReplaced ? <Badge text={t('priceOver')} /> : <Badge text={t('priceNow')} look="good" />
}

/** Whether the other one is in force in its stead by now. */
function replaces(other: PriceDetails, price: PriceDetails): boolean {
  const from = Date.parse(other.effective_from)
  return (
    other.model === price.model &&
    other.price_list === price.price_list &&
    other.withdrawn_at === null &&
    from <= serverNow() &&
    from > Date.parse(price.effective_from)
  )
}
