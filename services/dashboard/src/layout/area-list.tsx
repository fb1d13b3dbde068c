import type { ReactNode } from 'react'

export interface AreaListProps {
  readonly label: string
  /** Above the list, such as whose pages they are. */
  readonly top: ReactNode
  /** List items with links. */
  readonly children: ReactNode
  /** Below the list. */
  readonly bottom: ReactNode
}

/** The way between pages that belong together: at the side, and on a narrow window above. */
export function AreaList({ label, top, children, bottom }: AreaListProps) {
  return (
    <nav
      aria-label={label}
      className="flex shrink-0 flex-col gap-2 border-line bg-panel p-3 max-md:border-b md:w-48 md:border-r"
    >
      {top}
      <ul className="flex flex-wrap gap-1 md:flex-col">{children}</ul>
      {bottom}
    </nav>
  )
}

/** How the links of the list look. */
export const areaLook = {
  activeProps: { className: 'bg-paper font-semibold border-line' },
  inactiveProps: { className: 'border-transparent' },
  className: 'block rounded-md border px-3 py-1.5 text-ink no-underline hover:bg-paper',
} as const
