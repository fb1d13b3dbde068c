import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { memo, startTransition, useEffect, useState } from 'react'
import { t } from '../../text/translate.ts'
import { Card } from '../../ui/card.tsx'
import { behindFrame } from '../../ui/drawing/behind-frame.ts'
import { CostChart } from './cost-chart.tsx'
import { drawnSteps } from './drawn-steps.ts'
import { LatencyChart } from './latency/latency-chart.tsx'
import { SavingsChart } from './savings-chart.tsx'
import { TokenChart } from './token-chart.tsx'
import { labelOf } from './usage-rows.ts'

export interface UsageChartsProps {
  /** The account whose requests tell how long they took; undefined where none are to be read. */
  readonly latencyOf: string | undefined
  readonly usage: UsageAnswer
}

/**
 * The charts of a period, drawn once for each answer. Those below the window follow those in it one
 * frame later.
 */
export function UsageCharts({ latencyOf, usage }: UsageChartsProps) {
  const [lower, setLower] = useState(usage)
  useEffect(() => {
    if (lower === usage) return
    return behindFrame(() => startTransition(() => setLower(usage)))
  }, [lower, usage])
  return (
    <>
      <UpperCharts usage={usage} />
      <LowerCharts latencyOf={latencyOf} usage={lower} />
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

const LowerCharts = memo(({ latencyOf, usage }: UsageChartsProps) => (
  <>
    <Card title={t('savings')}>
      <SavingsChart usage={usage} />
    </Card>
    {latencyOf !== undefined && (
      <Card title={t('latency')}>
        <LatencyChart
          accountId={latencyOf}
          usage={usage}
          axis={drawnSteps(usage).map(({ step }) => step)}
          labelOf={(step) => labelOf(step, usage)}
        />
      </Card>
    )}
  </>
))
