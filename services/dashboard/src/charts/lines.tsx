import { scaleLinear, scalePoint } from 'd3-scale'
import { type ReactNode, useId, useState } from 'react'
import { useWidth } from './use-width.ts'

export interface Line {
  readonly name: string
  /** Of the three colours of the charts. */
  readonly color: 'input' | 'cached' | 'output'
  /** Lines of one colour are told apart by it. */
  readonly isDashed: boolean
  /** One for each point, in its order; null: nothing was measured. */
  readonly values: readonly (number | null)[]
}

export interface LinesProps {
  readonly title: string
  readonly points: readonly string[]
  readonly lines: readonly Line[]
  readonly valueText: (value: number) => string
  /** The same figures as rows. */
  readonly table: ReactNode
  readonly tableName: string
}

const HEIGHT = 220
const MARGIN = { top: 8, right: 16, bottom: 24, left: 80 }
const TICKS = 4
/** What a label of a point takes, with the gap to the next. */
const LABEL_PIXELS = 90
const DOT_PIXELS = 3
const DASHES = '5 4'
const strokes = { input: 'stroke-input', cached: 'stroke-cached', output: 'stroke-output' } as const
const fills = { input: 'fill-input', cached: 'fill-cached', output: 'fill-output' } as const

/** Lines over steps of time, with their legend, and a table of the same figures below. */
export function Lines({ title, points, lines, valueText, table, tableName }: LinesProps) {
  const id = useId()
  const [isTable, setTable] = useState(false)
  const [place, width] = useWidth<HTMLElement>()
  return (
    <figure ref={place} className="min-w-0">
      <figcaption className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        {lines.map((line) => (
          <span key={line.name} className="inline-flex items-center gap-1.5">
            <svg width="24" height="8" aria-hidden="true">
              <line x1="0" x2="24" y1="4" y2="4" {...strokeOf(line)} />
            </svg>
            {line.name}
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
          <Drawing points={points} lines={lines} valueText={valueText} width={width} />
        </svg>
      )}
    </figure>
  )
}

interface DrawingProps extends Pick<LinesProps, 'points' | 'lines' | 'valueText'> {
  /** In pixels. */
  readonly width: number
}

function Drawing({ points, lines, valueText, width }: DrawingProps) {
  const highest = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const x = scalePoint<number>(points.keys(), [MARGIN.left, width - MARGIN.right]).padding(0.5)
  const y = scaleLinear(
    [0, highest === 0 ? 1 : highest],
    [HEIGHT - MARGIN.bottom, MARGIN.top],
  ).nice(TICKS)
  const labels = Math.max(1, Math.floor((width - MARGIN.left) / LABEL_PIXELS))
  const everyNth = Math.ceil(points.length / labels)
  return (
    <>
      {y.ticks(TICKS).map((tick) => (
        <g key={tick} transform={`translate(0 ${y(tick)})`}>
          <line x1={MARGIN.left} x2={width - MARGIN.right} className="stroke-line" />
          <text x={MARGIN.left - 8} dy="0.32em" textAnchor="end" className="fill-soft text-[12px]">
            {valueText(tick)}
          </text>
        </g>
      ))}
      {points.map((point, index) => {
        if (index % everyNth !== 0) return null
        return (
          <text
            key={point}
            x={x(index)}
            y={HEIGHT - 6}
            textAnchor="middle"
            className="fill-soft text-[12px]"
          >
            {point}
          </text>
        )
      })}
      {lines.map((line) => {
        const dots = line.values.flatMap((value, index) =>
          value === null ? [] : [{ left: x(index) ?? 0, top: y(value), value, index }],
        )
        return (
          <g key={line.name}>
            <path
              d={dots.map(({ left, top }, at) => `${at === 0 ? 'M' : 'L'}${left} ${top}`).join('')}
              {...strokeOf(line)}
            />
            {dots.map(({ left, top, value, index }) => (
              <circle key={index} cx={left} cy={top} r={DOT_PIXELS} className={fills[line.color]}>
                <title>{`${points[index]} · ${line.name}: ${valueText(value)}`}</title>
              </circle>
            ))}
          </g>
        )
      })}
    </>
  )
}

function strokeOf({ color, isDashed }: Line) {
  return {
    className: `fill-none stroke-2 ${strokes[color]}`,
    ...(isDashed ? { strokeDasharray: DASHES } : {}),
  }
}
