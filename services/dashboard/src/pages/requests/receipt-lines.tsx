import type { Receipt } from '@svc/contracts/wire/billing'
import { countText } from '../../text/times.ts'
import { tokenClassName } from '../../text/token-classes.ts'
import { t } from '../../text/translate.ts'
import { Moment } from '../../ui/moment.tsx'
import { DecimalColumn, finestOf } from '../../ui/money.tsx'
import { Cell, Head, Table } from '../../ui/table.tsx'

export interface ReceiptLinesProps {
  readonly receipt: Receipt
}

/** Tokens × price per million = amount, line by line, and their sum. */
export function ReceiptLines({ receipt }: ReceiptLinesProps) {
  const { lines, amount, price } = receipt
  const decimals = finestOf([amount, ...lines.map((line) => line.amount)])
  const prices = finestOf(lines.map((line) => line.price))
  const head = (
    <>
      <Head>{t('tokens')}</Head>
      <Head isNumber>{t('count')}</Head>
      <Head isNumber>{t('perMillion')}</Head>
      <Head isNumber isPinned>
        {t('cost')}
      </Head>
    </>
  )
  const foot = (
    <tr>
      <Cell colSpan={3}>
        <strong>{t('total')}</strong>
      </Cell>
      <Cell isNumber isPinned>
        <DecimalColumn amount={amount} decimals={decimals} />
      </Cell>
    </tr>
  )
  return (
    <section>
      <h3 className="mb-1 font-semibold">{t('arithmetic')}</h3>
      <Table label={t('arithmetic')} head={head} foot={foot}>
        {lines.map((line) => (
          <tr key={line.class}>
            <Cell>{tokenClassName(line.class)}</Cell>
            <Cell isNumber>{countText(line.tokens)}</Cell>
            <Cell isNumber>
              <DecimalColumn amount={line.price} decimals={prices} />
            </Cell>
            <Cell isNumber isPinned>
              <DecimalColumn amount={line.amount} decimals={decimals} />
            </Cell>
          </tr>
        ))}
      </Table>
      <p className="mt-1 text-soft">{t('pinnedPrice', { version: price.version })}</p>
      {/* Undefined where a server answers that is older than the page. */}
      {typeof price.effective_from === 'string' && (
        <p className="text-soft">
          {t('priceValidFrom')} <Moment at={price.effective_from} />
        </p>
      )}
    </section>
  )
}
