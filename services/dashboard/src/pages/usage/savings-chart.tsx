import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { StackedBars } from '../../charts/stacked-bars.tsx'
import { countText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { DecimalColumn, exactText, finestOf } from '../../ui/money.tsx'
import { Cell, Head, Table } from '../../ui/table.tsx'
import { dollarHeight, heightText } from './dollar-heights.ts'
import { drawnSteps } from './drawn-steps.ts'
import { allSavings, type Savings, savingsOf } from './savings.ts'
import { WholePeriod } from './whole-period.tsx'

interface Step extends Savings {
  readonly label: string
}

/** What cached tokens were charged, and what they would have cost more. */
export function SavingsChart({ usage }: { readonly usage: UsageAnswer }) {
  const steps = drawnSteps(usage).map((row) => ({
    label: row.label,
    ...savingsOf(row, usage.total),
  }))
  const bars = steps.map(({ label, charged, saved }) => ({
    label,
    heights: [charged, saved].map(heightOf),
    figures: () => [charged, saved].map(exactText),
  }))
  return (
    <>
      <p className="mb-2 text-sm text-soft">{t('savingsText')}</p>
      <StackedBars
        title={t('savingsChart', { from: usage.from, to: usage.to, zone: usage.zone })}
        parts={[
          { name: t('cachedCharged'), color: 'cached' },
          { name: t('cachedSaved'), color: 'input' },
        ]}
        bars={bars}
        valueText={heightText}
        tableName={t('asTable')}
        table={<SavingsTable usage={usage} steps={steps} />}
      />
    </>
  )
}

/** Keeps savings below zero from being drawn below the line. */
function heightOf(amount: string): number {
  return Math.max(0, dollarHeight(amount))
}

interface SavingsTableProps {
  readonly usage: UsageAnswer
  readonly steps: readonly Step[]
}

function SavingsTable({ usage, steps }: SavingsTableProps) {
  const used = steps.filter(({ cachedTokens }) => cachedTokens > 0)
  const total = allSavings(used)
  const decimals = finestOf(
    [...used, total].flatMap((row) => [row.asInput, row.charged, row.saved]),
  )
  const head = (
    <>
      <Head>{t('period')}</Head>
      <Head isNumber>{t('cachedInput')}</Head>
      <Head isNumber>{t('cachedAsInput')}</Head>
      <Head isNumber>{t('cachedCharged')}</Head>
      <Head isNumber isPinned>
        {t('cachedSaved')}
      </Head>
    </>
  )
  const foot = (
    <tr>
      <Cell>
        <WholePeriod usage={usage} />
      </Cell>
      <Figures row={total} decimals={decimals} />
    </tr>
  )
  return (
    <Table label={t('savings')} head={head} foot={foot}>
      {used.map((row) => (
        <tr key={row.label}>
          <Cell>{row.label}</Cell>
          <Figures row={row} decimals={decimals} />
        </tr>
      ))}
    </Table>
  )
}

function Figures({ row, decimals }: { readonly row: Savings; readonly decimals: number }) {
  return (
    <>
      <Cell isNumber>{countText(row.cachedTokens)}</Cell>
      {[row.asInput, row.charged, row.saved].map((amount, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the three columns stay in their places
        <Cell key={index} isNumber isPinned={index === 2}>
          <DecimalColumn amount={amount} decimals={decimals} />
        </Cell>
      ))}
    </>
  )
}
