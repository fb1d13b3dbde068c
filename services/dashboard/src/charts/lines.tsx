import { Chart, type ChartTexts } from './chart.tsx'
import { type ChartColor, fills, strokes } from './chart-colors.ts'

export interface Line {
  readonly name: string
  readonly color: ChartColor
  /** Lines of one colour are told apart by it. */
  readonly isDashed: boolean
  /** One for each point, in its order; null: nothing was measured, and the line has a gap. */
  readonly values: readonly (number | null)[]
}

export interface LinesProps extends ChartTexts {
  readonly points: readonly string[]
  readonly lines: readonly Line[]
}

const DOT_PIXELS = 3
const DASHES = '5 4'

/** Lines over steps of time, with a dot where something was measured. */
export function Lines({ points, lines, ...texts }: LinesProps) {
  const legend = lines.map((line) => ({
    name: line.name,
    mark: (
      <svg width="24" height="8" aria-hidden="true">
        <line x1="0" x2="24" y1="4" y2="4" {...strokeOf(line)} />
      </svg>
    ),
  }))
  return (
    <Chart
      {...texts}
      legend={legend}
      steps={points}
      figuresOf={(index) =>
        lines.flatMap(({ name, color, values }) => {
          const value = values[index] ?? null
          return value === null ? [] : [{ name, color, text: texts.valueText(value) }]
        })
      }
      highest={lines
        .flatMap(({ values }) => values)
        .reduce<number>((highest, value) => Math.max(highest, value ?? 0), 0)}
    >
      {({ x, y }) =>
        lines.map((line) => {
          const measured = line.values.flatMap((value, index) => {
            if (value === null) return []
            const isBehindGap = (line.values[index - 1] ?? null) === null
            const center = `${(x(index) ?? 0) + x.bandwidth() / 2} ${y(value)}`
            return [{ center, move: isBehindGap ? 'M' : 'L' }]
          })
          const centers = measured.map(({ center }) => center)
          return (
            <g key={line.name}>
              <path
                d={measured.map(({ move, center }) => move + center).join('')}
                {...strokeOf(line)}
              />
              <path d={centers.map(dotAt).join('')} className={fills[line.color]} />
            </g>
          )
        })
      }
    </Chart>
  )
}

/** A circle, as two halves of a path. */
function dotAt(center: string): string {
  const half = `a${DOT_PIXELS} ${DOT_PIXELS} 0 0 1`
  return `M${center}m-${DOT_PIXELS} 0${half} ${2 * DOT_PIXELS} 0${half} -${2 * DOT_PIXELS} 0z`
}

function strokeOf({ color, isDashed }: Line) {
  return {
    className: `fill-none stroke-2 ${strokes[color]}`,
    ...(isDashed ? { strokeDasharray: DASHES } : {}),
  }
}
