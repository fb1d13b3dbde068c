import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { StackedBars } from '../../charts/stacked-bars.tsx'
import { tokenClassName } from '../../text/token-classes.ts'
import { t } from '../../text/translate.ts'
import { exactText } from '../../ui/money.tsx'
import { dollarHeight, heightText } from './dollar-heights.ts'
import { drawnSteps } from './drawn-steps.ts'
import { classes, usedOf } from './usage-rows.ts'
import { UsageTable } from './usage-table.tsx'

const colors = { input: 'input', cached_input: 'cached', output: 'output' } as const

/** What each step of time cost, by class of tokens. */
export function CostChart({ usage }: { readonly usage: UsageAnswer }) {
  const bars = drawnSteps(usage).map((row) => {
    const uses = classes.map((name) => usedOf(row, name))
    return {
      label: row.label,
      heights: uses.map(({ amount }) => dollarHeight(amount)),
      figures: () => uses.map(({ amount }) => exactText(amount)),
    }
  })
  return (
    <StackedBars
      title={t('costChart', { from: usage.from, to: usage.to, zone: usage.zone })}
      parts={classes.map((name) => ({ name: tokenClassName(name), color: colors[name] }))}
      bars={bars}
      valueText={heightText}
      tableName={t('asTable')}
      table={<UsageTable usage={usage} />}
    />
  )
}
