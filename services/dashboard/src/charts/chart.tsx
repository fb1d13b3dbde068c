import { type ScaleBand, scaleBand, scaleLinear } from 'd3-scale'
import { type ReactNode, useId, useState } from 'react'
import { type Figure, Readout } from './readout.tsx'
import { useWidth } from './use-width.ts'

/** What every chart says beside its drawing. */
export interface ChartTexts {
  readonly title: string
  /** A value at the axis, such as `$0.10`. */
  readonly valueText: (value: number) => string
  /** The table that shows the same figures as rows. */
  readonly table: ReactNode
  readonly tableName: string
}

export interface ChartProps extends ChartTexts {
  readonly legend: readonly { readonly name: string; readonly mark: ReactNode }[]
  /** One for each step of time. */
  readonly steps: readonly string[]
  /** What was measured in a step, by its index, exactly: shown while somebody points at it. */
  readonly figuresOf: (index: number) => readonly Figure[]
  /** The highest value that is drawn; the axis begins at zero. */
  readonly highest: number
  /** The drawing: few elements, however many steps there are. */
  readonly children: (plot: Plot) => ReactNode
}

/** Tells where values lie in the drawing, in pixels. */
export interface Plot {
  /** The left edge of a step, by its index, and how wide it is. */
  readonly x: ScaleBand<number>
  readonly y: (value: number) => number
}

const HEIGHT = 220
const MARGIN = { top: 8, right: 16, bottom: 24, left: 80 }
const TICKS = 4
/** The share of a step that is left free, on both sides together. */
const GAP_SHARE = 0.25
/** What a label of a step takes, with the gap to the next. */
const LABEL_PIXELS = 90

/** A drawing over steps of time with its legend and axes; at a press, its table in its place. */
export function Chart(props: ChartProps) {
  const { title, legend, table, tableName, steps, figuresOf } = props
  const id = useId()
  const [isTable, setTable] = useState(false)
  const [place, width] = useWidth<HTMLElement>()
  const x = scaleBand<number>(steps.keys(), [MARGIN.left, width - MARGIN.right]).padding(GAP_SHARE)
  return (
    <figure ref={place} className="min-w-0">
      <figcaption className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        {legend.map(({ name, mark }) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            {mark}
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
        <div className="relative">
          <svg
            width={width}
            height={HEIGHT}
            // On paper, which is narrower, it gets smaller as a whole.
            viewBox={`0 0 ${width} ${HEIGHT}`}
            role="img"
            aria-labelledby={id}
            className="max-w-full print:h-auto"
          >
            <title id={id}>{title}</title>
            <Drawing {...props} x={x} width={width} />
          </svg>
          <Readout steps={steps} figuresOf={figuresOf} x={x} width={width} />
        </div>
      )}
    </figure>
  )
}

interface DrawingProps extends Pick<ChartProps, 'steps' | 'highest' | 'valueText' | 'children'> {
  readonly x: ScaleBand<number>
  /** The width of the drawing in pixels. */
  readonly width: number
}

function Drawing({ steps, highest, valueText, children, x, width }: DrawingProps) {
  const y = scaleLinear(
    [0, highest === 0 ? 1 : highest],
    [HEIGHT - MARGIN.bottom, MARGIN.top],
  ).nice(TICKS)
  const labels = Math.max(1, Math.floor((width - MARGIN.left) / LABEL_PIXELS))
  const everyNth = Math.ceil(steps.length / labels)
  // Of nothing at all there is no unit in which values between could be written.
  const ticks = highest === 0 ? [0] : y.ticks(TICKS)
  const texts = sameDecimals(ticks.map(valueText))
  return (
    <>
      {ticks.map((tick, index) => (
        <g key={tick} transform={`translate(0 ${y(tick)})`}>
          <line x1={MARGIN.left} x2={width - MARGIN.right} className="stroke-line" />
          <text x={MARGIN.left - 8} dy="0.32em" textAnchor="end" className="fill-soft text-[12px]">
            {texts[index]}
          </text>
        </g>
      ))}
      {steps.map((step, index) => {
        if (index % everyNth !== 0) return null
        return (
          <text
            key={step}
            x={(x(index) ?? 0) + x.bandwidth() / 2}
            y={HEIGHT - 6}
            textAnchor="middle"
            className="fill-soft text-[12px]"
          >
            {step}
          </text>
        )
      })}
      {children({ x, y })}
    </>
  )
}

/** `$0.00` and `$0.000015` stand with their points below one another: `$0.000000`, `$0.000015`. */
function sameDecimals(texts: readonly string[]): readonly string[] {
  const decimals = (text: string) => /\.(\d+)$/.exec(text)?.[1]?.length ?? 0
  const finest = Math.max(0, ...texts.map(decimals))
  return texts.map((text) =>
    decimals(text) === 0 ? text : text + '0'.repeat(finest - decimals(text)),
  )
}
