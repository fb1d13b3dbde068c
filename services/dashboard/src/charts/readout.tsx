import type { ScaleBand } from 'd3-scale'
import { type PointerEvent, useState } from 'react'
import { backs, type ChartColor } from './chart-colors.ts'

/** What was measured in a step of time. */
export interface Figure {
  readonly name: string
  readonly color: ChartColor
  /** Exactly, as the table has it. */
  readonly text: string
}

export interface ReadoutProps {
  readonly steps: readonly string[]
  readonly figuresOf: (index: number) => readonly Figure[]
  readonly x: ScaleBand<number>
  /** The width of the drawing in pixels. */
  readonly width: number
}

/**
 * Lies over a drawing and shows the figures of the step that is pointed at. It alone changes when
 * the pointer moves. Who does not point has the same figures in the table.
 */
export function Readout({ steps, figuresOf, x, width }: ReadoutProps) {
  const [pointed, setPointed] = useState<number>()
  const look = ({ clientX, currentTarget }: PointerEvent<HTMLDivElement>) =>
    setPointed(stepAt(clientX - currentTarget.getBoundingClientRect().left, x, steps.length))
  // The steps may have become others, and fewer.
  const step = pointed === undefined ? undefined : steps[pointed]
  return (
    <div
      aria-hidden="true"
      className="absolute inset-0"
      onPointerMove={look}
      onPointerDown={look}
      onPointerLeave={() => setPointed(undefined)}
    >
      {pointed !== undefined && step !== undefined && (
        <div
          className="pointer-events-none absolute top-0 z-10 rounded-md border border-edge bg-paper px-2 py-1 text-sm shadow-lg"
          style={besideOf(pointed, x, width)}
        >
          <p className="font-medium whitespace-nowrap">{step}</p>
          {figuresOf(pointed).map(({ name, color, text }) => (
            <p key={name} className="flex items-center gap-1.5 whitespace-nowrap">
              <span className={`size-2.5 shrink-0 rounded-sm ${backs[color]}`} />
              <span className="text-soft">{name}</span>
              <span className="ml-auto pl-3 tabular-nums">{text}</span>
            </p>
          ))}
        </div>
      )}
    </div>
  )
}

/** @returns undefined left of the first step and right of the last */
function stepAt(left: number, x: ScaleBand<number>, count: number): number | undefined {
  const gap = x.step() - x.bandwidth()
  const index = Math.floor((left - (x(0) ?? 0) + gap / 2) / x.step())
  return index >= 0 && index < count ? index : undefined
}

/** Puts the readout at the side of the step where there is more room. */
function besideOf(index: number, x: ScaleBand<number>, width: number) {
  const left = x(index) ?? 0
  if (left > width / 2) return { right: width - left + x.step() - x.bandwidth() }
  return { left: left + x.step() }
}
