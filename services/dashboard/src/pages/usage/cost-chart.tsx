import { formatDollars, parseDollars } from '@svc/contracts/money'
import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { StackedBars } from '../../charts/stacked-bars.tsx'
import { tokenClassName } from '../../text/token-classes.ts'
import { t } from '../../text/translate.ts'
import { exactText } from '../../ui/money.tsx'
import { classes, stepLabel, usedOf } from './usage-rows.ts'
import { UsageTable } from './usage-table.tsx'

const colors = { input: 'input', cached_input: 'cached', output: 'output' } as const
/** Heights need no exactness: a bar is at most a few hundred pixels high. */
const PICO_PER_MICRODOLLAR = 1_000_000n

/** What each step of time cost, by class of tokens. */
export function CostChart({ usage }: { readonly usage: UsageAnswer }) {
  const bars = usage.data.map((row) => {
    const uses = classes.map((name) => usedOf(row, name))
    return {
      label: stepLabel(row, usage.by),
      heights: uses.map(({ amount }) => Number(parseDollars(amount) / PICO_PER_MICRODOLLAR)),
      figures: uses.map(({ amount }) => exactText(amount)),
    }
  })
  return (
    <StackedBars
      title={t('costChart', { from: usage.from, to: usage.to, zone: usage.zone })}
      parts={classes.map((name) => ({ name: tokenClassName(name), color: colors[name] }))}
      bars={bars}
      tickText={(micros) => formatDollars(BigInt(Math.round(micros)) * PICO_PER_MICRODOLLAR)}
      tableName={t('asTable')}
      table={<UsageTable usage={usage} />}
    />
  )
}
