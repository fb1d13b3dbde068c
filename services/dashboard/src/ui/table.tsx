import { type ReactNode, type TdHTMLAttributes, type ThHTMLAttributes, useRef } from 'react'
import { useCutColumns } from './drawing/cut-columns.ts'

export interface TableProps {
  /** What it shows, for those who do not see it. */
  readonly label: string
  readonly head: ReactNode
  readonly foot?: ReactNode
  readonly children: ReactNode
}

/** Below the last row stands the edge of the card. */
const openEnd =
  '[&>tbody:last-child>tr:last-child>td]:border-b-0 [&>tfoot>tr:last-child>td]:border-b-0'

/** Scrolls sideways in itself where the window is narrow: the page never does. */
export function Table({ label, head, foot, children }: TableProps) {
  const section = useRef<HTMLElement>(null)
  useCutColumns(section)
  return (
    <section
      ref={section}
      className="scrolls-aside relative overflow-x-auto"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls
      tabIndex={0}
      aria-label={label}
    >
      <table className={`w-full border-separate border-spacing-0 text-sm ${openEnd}`}>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{children}</tbody>
        {foot !== undefined && <tfoot>{foot}</tfoot>}
      </table>
    </section>
  )
}

const cell = 'border-b border-line px-1.5 py-2 first:pl-0 lg:px-2 last:pr-0'

export function Head(props: CellProps<ThHTMLAttributes<HTMLTableCellElement>>) {
  const { isNumber, isPinned, ...rest } = props
  const side = isNumber ? 'text-right' : 'text-left'
  return (
    <th
      scope="col"
      data-pinned={isPinned || undefined}
      className={`${cell} ${side} font-medium whitespace-nowrap text-soft`}
      {...rest}
    />
  )
}

export function Cell(props: CellProps<TdHTMLAttributes<HTMLTableCellElement>>) {
  const { isNumber, isPinned, ...rest } = props
  // A number never breaks, and words are not squeezed to a column of letters: the table scrolls.
  const side = isNumber
    ? 'text-right tabular-nums whitespace-nowrap'
    : 'min-w-20 text-left lg:min-w-28'
  return (
    <td
      data-pinned={isPinned || undefined}
      data-number={isNumber || undefined}
      className={`${cell} ${side} max-w-80 align-middle wrap-anywhere`}
      {...rest}
    />
  )
}

type CellProps<Base> = Base & {
  /** Right-aligned, in figures of one width. */
  readonly isNumber?: boolean
  /**
   * Stays in sight while the others scroll: the one column of a table that people come for, where
   * it has amounts, and that in its head, its rows and its foot.
   */
  readonly isPinned?: boolean
}
