import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { useQuery } from '@tanstack/react-query'
import { useContext } from 'react'
import { askedPeriod } from '../../../address/asked-period.ts'
import type { UsageSearch } from '../../../address/search.ts'
import { type Line, Lines } from '../../../charts/lines.tsx'
import { ShownZone } from '../../../text/shown-zone.ts'
import { countText, durationText, momentStepText } from '../../../text/times.ts'
import { type PlainName, t } from '../../../text/translate.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { latenciesOf, newestRequests, type Quantiles, SAMPLE_MAX } from './latencies.ts'

export interface LatencyChartProps {
  readonly accountId: string
  readonly search: UsageSearch
  readonly by: UsageAnswer['by']
}

type Steps = ReturnType<typeof latenciesOf>
type Step = Steps[number]

const figures = [
  ['firstTokenMedian', 'cached', ({ firstToken }) => firstToken.median],
  ['firstTokenSlow', 'cached', ({ firstToken }) => firstToken.slow],
  ['totalMedian', 'output', ({ total }) => total.median],
  ['totalSlow', 'output', ({ total }) => total.slow],
] as const satisfies readonly (readonly [
  name: PlainName,
  color: Line['color'],
  of: (step: Step) => Quantiles[keyof Quantiles],
])[]

/** How long requests of the period took: of the newest of them, which it says. */
export function LatencyChart({ accountId, search, by }: LatencyChartProps) {
  const zone = useContext(ShownZone)
  const query = useQuery(newestRequests({ account_id: accountId, ...askedPeriod(search) }))
  return (
    <Answer query={query}>
      {(requests) => {
        const steps = latenciesOf(requests, (at) => momentStepText(at, by, zone))
        return (
          <>
            <p className="mb-2 text-sm text-soft">
              {t(requests.length < SAMPLE_MAX ? 'latencyOfAll' : 'latencyOfNewest', {
                count: countText(requests.length),
              })}
            </p>
            <Lines
              title={t('latencyChart', { count: countText(requests.length) })}
              points={steps.map(({ step }) => step)}
              lines={figures.map(([name, color, of]) => ({
                name: t(name),
                color,
                isDashed: name.endsWith('Slow'),
                values: steps.map(of),
              }))}
              valueText={durationText}
              tableName={t('asTable')}
              table={<LatencyTable steps={steps} />}
            />
          </>
        )
      }}
    </Answer>
  )
}

function LatencyTable({ steps }: { readonly steps: Steps }) {
  const head = (
    <>
      <Head>{t('period')}</Head>
      <Head isNumber>{t('requests')}</Head>
      {figures.map(([name]) => (
        <Head key={name} isNumber>
          {t(name)}
        </Head>
      ))}
    </>
  )
  return (
    <Table label={t('latency')} head={head}>
      {steps.map((step) => (
        <tr key={step.step}>
          <Cell>{step.step}</Cell>
          <Cell isNumber>{countText(step.requests)}</Cell>
          {figures.map(([name, , of]) => {
            const value = of(step)
            return (
              <Cell key={name} isNumber>
                {value === null ? '–' : durationText(value)}
              </Cell>
            )
          })}
        </tr>
      ))}
    </Table>
  )
}
