import type { ModelPrice, PriceList } from '@svc/contracts/wire/prices'
import { t } from '../../text/translate.ts'
import { Moment } from '../../ui/moment.tsx'
import { ExactMoney } from '../../ui/money.tsx'
import { Cell, Head, Table } from '../../ui/table.tsx'

/** Prices in force and announced, in dollars per million tokens. */
export function PriceTable({ models }: { readonly models: PriceList['data'] }) {
  const rows = models.flatMap(({ model, price, next_price: next }) => [
    ...(price === null ? [] : [{ model, price, state: t('priceNow') }]),
    ...(next === null ? [] : [{ model, price: next, state: t('priceNext') }]),
  ])
  if (rows.length === 0) return <p>{t('noPrices')}</p>
  const head = (
    <>
      <Head>{t('model')}</Head>
      <Head>{t('priceState')}</Head>
      <Head isNumber>{t('input')}</Head>
      <Head isNumber>{t('cachedInput')}</Head>
      <Head isNumber>{t('output')}</Head>
      <Head>{t('priceSince')}</Head>
      <Head>{t('priceVersion')}</Head>
    </>
  )
  return (
    <Table label={t('prices')} head={head}>
      {rows.map(({ model, price, state }) => (
        <tr key={price.version}>
          <Cell>{model}</Cell>
          <Cell>{state}</Cell>
          <Rates price={price} />
          <Cell>
            <Moment at={price.effective_from} />
          </Cell>
          <Cell>{price.version}</Cell>
        </tr>
      ))}
    </Table>
  )
}

function Rates({ price }: { readonly price: ModelPrice }) {
  return [price.input, price.cached_input, price.output].map((rate, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: three rates in a fixed order
    <Cell isNumber key={index}>
      <ExactMoney amount={rate} />
    </Cell>
  ))
}
