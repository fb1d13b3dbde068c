import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { StackedBars } from '../../charts/stacked-bars.tsx'
import { countText } from '../../text/times.ts'
import { tokenClassName } from '../../text/token-classes.ts'
import { t } from '../../text/translate.ts'
import { drawnSteps } from './drawn-steps.ts'
import { classes, usedOf } from './usage-rows.ts'
import { UsageTable } from './usage-table.tsx'

const colors = { input: 'input', cached_input: 'cached', output: 'output' } as const
const compact = new Intl.NumberFormat('en', { notation: 'compact' })

/** Tokens of each step of time, by class: the classes have no token in common. */
export function TokenChart({ usage }: { readonly usage: UsageAnswer }) {
  const bars = drawnSteps(usage).map((row) => {
    const counts = classes.map((name) => usedOf(row, name).tokens)
    return {
      label: row.label,
      heights: counts,
      figures: () => counts.map(countText),
    }
  })
  return (
    <StackedBars
      title={t('tokenChart', { from: usage.from, to: usage.to, zone: usage.zone })}
      parts={classes.map((name) => ({ name: tokenClassName(name), color: colors[name] }))}
      bars={bars}
      valueText={(count) => compact.format(count)}
      tableName={t('asTable')}
      table={<UsageTable usage={usage} />}
    />
  )
}
