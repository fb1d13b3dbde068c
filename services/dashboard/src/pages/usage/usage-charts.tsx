import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { memo, startTransition, useEffect, useState } from 'react'
import type { UsageSearch } from '../../address/search.ts'
import { t } from '../../text/translate.ts'
import { Card } from '../../ui/card.tsx'
import { behindFrame } from '../../ui/drawing/behind-frame.ts'
import { CostChart } from './cost-chart.tsx'
import { LatencyChart } from './latency/latency-chart.tsx'
import { SavingsChart } from './savings-chart.tsx'
import { TokenChart } from './token-chart.tsx'

export interface UsageChartsProps {
  /** The account whose requests tell how long they took; undefined where none are to be read. */
  readonly latencyOf: string | undefined
  readonly usage: UsageAnswer
  /** The search that the usage answers. */
  readonly search: UsageSearch
}

/**
 * The charts of a period, drawn once for each answer. Those below the window follow those in it one
 * frame later.
 */
export function UsageCharts({ latencyOf, usage, search }: UsageChartsProps) {
  const [lower, setLower] = useState({ usage, search })
  useEffect(() => {
    if (lower.usage === usage) return
    return behindFrame(() => startTransition(() => setLower({ usage, search })))
  }, [lower, usage, search])
  return (
    <>
      <UpperCharts usage={usage} />
      <LowerCharts latencyOf={latencyOf} {...lower} />
    </>
  )
}

const UpperCharts = memo(({ usage }: Pick<UsageChartsProps, 'usage'>) => (
  <>
    <Card title={t('cost')}>
      <CostChart usage={usage} />
    </Card>
    <Card title={t('tokens')}>
      <TokenChart usage={usage} />
    </Card>
  </>
))

const LowerCharts = memo(({ latencyOf, usage, search }: UsageChartsProps) => (
  <>
    <Card title={t('savings')}>
      <SavingsChart usage={usage} />
    </Card>
    {latencyOf !== undefined && (
      <Card title={t('latency')}>
        <LatencyChart accountId={latencyOf} search={search} by={usage.by} />
      </Card>
    )}
  </>
))
