import { Chart, type ChartTexts, type Plot } from './chart.tsx'
import { backs, type ChartColor, fills } from './chart-colors.ts'

export interface BarPart {
  readonly name: string
  readonly color: ChartColor
}

export interface Bar {
  readonly label: string
  /** One for each part, in its order: only the height is made of it, never a figure. */
  readonly heights: readonly number[]
  /** What is shown of it on a look, exactly; one for each part. */
  readonly figures: () => readonly string[]
}

export interface StackedBarsProps extends ChartTexts {
  readonly parts: readonly BarPart[]
  readonly bars: readonly Bar[]
}

/** A bar of stacked parts for each step of time. */
export function StackedBars({ parts, bars, ...texts }: StackedBarsProps) {
  const legend = parts.map(({ name, color }) => ({
    name,
    mark: <span aria-hidden="true" className={`inline-block size-3 rounded-sm ${backs[color]}`} />,
  }))
  return (
    <Chart
      {...texts}
      legend={legend}
      steps={bars.map(({ label }) => label)}
      figuresOf={(index) => {
        const figures = bars[index]?.figures() ?? []
        return parts.map(({ name, color }, part) => ({ name, color, text: figures[part] ?? '' }))
      }}
      highest={bars.reduce((highest, { heights }) => Math.max(highest, sumOf(heights)), 0)}
    >
      {(plot) =>
        parts.map(({ name, color }, part) => (
          <path key={name} d={outlineOf(bars, part, plot)} className={fills[color]} />
        ))
      }
    </Chart>
  )
}

/** All boxes of one part as one path: an hour of each of thirty days is drawn as fast as a day. */
function outlineOf(bars: readonly Bar[], part: number, { x, y }: Plot): string {
  const width = pixels(x.bandwidth())
  return bars
    .map(({ heights }, index) => {
      const height = heights[part] ?? 0
      if (height === 0) return ''
      const below = sumOf(heights.slice(0, part))
      const top = y(below + height)
      return `M${pixels(x(index) ?? 0)} ${pixels(top)}h${width}v${pixels(y(below) - top)}h-${width}z`
    })
    .join('')
}

const HUNDREDTHS = 100

function pixels(value: number): number {
  return Math.round(value * HUNDREDTHS) / HUNDREDTHS
}

function sumOf(heights: readonly number[]): number {
  return heights.reduce((sum, height) => sum + height, 0)
}
