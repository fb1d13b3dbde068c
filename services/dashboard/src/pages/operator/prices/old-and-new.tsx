import { ExactMoney } from '../../../ui/money.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { t } from '../operator-text.ts'
import type { TypedRates } from './rate-fields.tsx'

export interface OldAndNewProps {
  /** Dollars per million tokens; null: nothing was sold before. */
  readonly before: TypedRates | null
  readonly after: TypedRates
}

const names = [
  ['input', 'input'],
  ['cached_input', 'cachedInput'],
  ['output', 'output'],
] as const

/** Two prices beside each other. */
export function OldAndNew({ before, after }: OldAndNewProps) {
  const head = (
    <>
      <Head>{t('tokens')}</Head>
      <Head isNumber>{t('oldPrice')}</Head>
      <Head isNumber>{t('newPriceHead')}</Head>
    </>
  )
  return (
    <Table label={t('oldAndNew')} head={head}>
      {names.map(([name, text]) => (
        <tr key={name}>
          <Cell>{t(text)}</Cell>
          <Cell isNumber>{before === null ? '–' : <ExactMoney amount={before[name]} />}</Cell>
          <Cell isNumber>
            <ExactMoney amount={after[name]} />
          </Cell>
        </tr>
      ))}
    </Table>
  )
}
