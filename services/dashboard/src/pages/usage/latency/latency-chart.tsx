import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { useQuery } from '@tanstack/react-query'
import { type Line, Lines } from '../../../charts/lines.tsx'
import { countText, durationText, momentStep } from '../../../text/times.ts'
import { type PlainName, t } from '../../../text/translate.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { latenciesOf, newestRequests, onAxis, type Quantiles, SAMPLE_MAX } from './latencies.ts'

export interface LatencyChartProps {
  readonly accountId: string
  /** Of the same period. */
  readonly usage: UsageAnswer
  /** The steps of time of the other charts, by their full names. */
  readonly axis: readonly string[]
  /** How a step is named on the page. */
  readonly labelOf: (step: string) => string
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
export function LatencyChart({ accountId, usage, axis, labelOf }: LatencyChartProps) {
  const { by, from, to, zone } = usage
  const query = useQuery(newestRequests({ account_id: accountId, from, to, zone }))
  return (
    <Answer query={query}>
      {(requests) => {
        const steps = latenciesOf(requests, (at) => momentStep(Date.parse(at), by, zone))
        const drawn = onAxis(axis, steps)
        return (
          <>
            <p className="mb-2 text-sm text-soft">
              {t(requests.length < SAMPLE_MAX ? 'latencyOfAll' : 'latencyOfNewest', {
                count: countText(requests.length),
              })}
            </p>
            <Lines
              title={t('latencyChart', { count: countText(requests.length) })}
              points={drawn.map(({ step }) => labelOf(step))}
              lines={figures.map(([name, color, of]) => ({
                name: t(name),
                color,
                isDashed: name.endsWith('Slow'),
                values: drawn.map(({ measured }) => measured && of(measured)),
              }))}
              valueText={durationText}
              tableName={t('asTable')}
              table={<LatencyTable labelOf={labelOf} steps={steps} />}
            />
          </>
        )
      }}
    </Answer>
  )
}

interface LatencyTableProps extends Pick<LatencyChartProps, 'labelOf'> {
  readonly steps: Steps
}

function LatencyTable({ labelOf, steps }: LatencyTableProps) {
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
          <Cell>{labelOf(step.step)}</Cell>
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
