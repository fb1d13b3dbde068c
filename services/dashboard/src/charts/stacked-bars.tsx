import { scaleBand, scaleLinear } from 'd3-scale'
import { type ReactNode, useId, useState } from 'react'
import { useWidth } from './use-width.ts'

export interface BarPart {
  readonly name: string
  /** Of the three colours of the token classes. */
  readonly color: 'input' | 'cached' | 'output'
}

export interface Bar {
  readonly label: string
  /** One for each part, in its order: only the height is made of it, never a figure. */
  readonly heights: readonly number[]
  /** What is shown of it on a look, exactly. */
  readonly figures: readonly string[]
}

export interface StackedBarsProps {
  readonly title: string
  readonly parts: readonly BarPart[]
  readonly bars: readonly Bar[]
  readonly tickText: (value: number) => string
  /** The same figures as rows. */
  readonly table: ReactNode
  readonly tableName: string
}

const HEIGHT = 220
const MARGIN = { top: 8, right: 8, bottom: 24, left: 80 }
const TICKS = 4
/** What a label of a bar takes, with the gap to the next. */
const LABEL_PIXELS = 90
const fills = { input: 'fill-input', cached: 'fill-cached', output: 'fill-output' } as const
const backs = { input: 'bg-input', cached: 'bg-cached', output: 'bg-output' } as const

/** Bars of stacked parts, with their legend, and a table of the same figures below. */
export function StackedBars(props: StackedBarsProps) {
  const { title, parts, bars, tickText, table, tableName } = props
  const id = useId()
  const [isTable, setTable] = useState(false)
  const [place, width] = useWidth<HTMLElement>()
  return (
    <figure ref={place} className="min-w-0">
      <figcaption className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        {parts.map(({ name, color }) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span aria-hidden="true" className={`inline-block size-3 rounded-sm ${backs[color]}`} />
            {name}
          </span>
        ))}
        <button
          type="button"
          aria-pressed={isTable}
          className="ml-auto underline"
          onClick={() => setTable(!isTable)}
        >
          {tableName}
        </button>
      </figcaption>
      {isTable ? (
        table
      ) : (
        <svg width={width} height={HEIGHT} role="img" aria-labelledby={id} className="max-w-full">
          <title id={id}>{title}</title>
          <Drawing parts={parts} bars={bars} tickText={tickText} width={width} />
        </svg>
      )}
    </figure>
  )
}

interface DrawingProps extends Pick<StackedBarsProps, 'parts' | 'bars' | 'tickText'> {
  /** In pixels. */
  readonly width: number
}

function Drawing({ parts, bars, tickText, width }: DrawingProps) {
  const highest = Math.max(...bars.map(({ heights }) => heights.reduce((a, b) => a + b, 0)), 0)
  const x = scaleBand<number>(bars.keys(), [MARGIN.left, width - MARGIN.right]).padding(0.25)
  const y = scaleLinear(
    [0, highest === 0 ? 1 : highest],
    [HEIGHT - MARGIN.bottom, MARGIN.top],
  ).nice(TICKS)
  const labels = Math.max(1, Math.floor((width - MARGIN.left) / LABEL_PIXELS))
  const everyNth = Math.ceil(bars.length / labels)
  return (
    <>
      {y.ticks(TICKS).map((tick) => (
        <g key={tick} transform={`translate(0 ${y(tick)})`}>
          <line x1={MARGIN.left} x2={width - MARGIN.right} className="stroke-line" />
          <text x={MARGIN.left - 8} dy="0.32em" textAnchor="end" className="fill-soft text-[12px]">
            {tickText(tick)}
          </text>
        </g>
      ))}
      {bars.map((bar, index) => (
        <g key={bar.label}>
          <Stack bar={bar} parts={parts} left={x(index) ?? 0} width={x.bandwidth()} y={y} />
          {index % everyNth === 0 && (
            <text
              x={(x(index) ?? 0) + x.bandwidth() / 2}
              y={HEIGHT - 6}
              textAnchor="middle"
              className="fill-soft text-[12px]"
            >
              {bar.label}
            </text>
          )}
        </g>
      ))}
    </>
  )
}

interface StackProps {
  readonly bar: Bar
  readonly parts: readonly BarPart[]
  readonly left: number
  readonly width: number
  readonly y: (value: number) => number
}

function Stack({ bar, parts, left, width, y }: StackProps) {
  return parts.map(({ name, color }, index) => {
    const below = bar.heights.slice(0, index).reduce((a, b) => a + b, 0)
    const height = bar.heights[index] ?? 0
    return (
      <rect
        key={name}
        x={left}
        width={width}
        y={y(below + height)}
        height={Math.max(0, y(below) - y(below + height))}
        className={fills[color]}
      >
        <title>{`${bar.label} · ${name}: ${bar.figures[index] ?? ''}`}</title>
      </rect>
    )
  })
}
