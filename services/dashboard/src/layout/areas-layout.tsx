import { type ReactNode, useContext } from 'react'
import { ShownZone } from '../text/shown-zone.ts'
import { type PlainName, t } from '../text/translate.ts'
import { Shortcuts } from './shortcuts.tsx'

/** A page of several that belong together, with the key that leads to it behind `g`. */
export type Area<Path extends string> = readonly [path: Path, name: PlainName, letter: string]

export interface AreasLayoutProps<Path extends string> {
  readonly label: string
  readonly areas: readonly Area<Path>[]
  /** Above the list, such as whose pages they are. */
  readonly top: ReactNode
  readonly linkTo: (path: Path, name: PlainName) => ReactNode
  readonly onGo: (path: Path) => void
  /** The page that is open. */
  readonly children: ReactNode
}

/** The way between pages that belong together: at the side, and on a narrow window above. */
export function AreasLayout<Path extends string>(props: AreasLayoutProps<Path>) {
  const { label, areas, top, linkTo, onGo, children } = props
  const zone = useContext(ShownZone)
  return (
    <div className="flex min-w-0 flex-1 flex-col lg:flex-row">
      <nav
        aria-label={label}
        className="flex shrink-0 flex-col gap-2 border-line bg-panel p-3 max-lg:border-b lg:w-48 lg:border-r"
      >
        <div className="grid grid-cols-1 items-center gap-2 md:max-lg:grid-cols-2">{top}</div>
        <ul className="flex flex-wrap gap-1 lg:flex-col">
          {areas.map(([path, name]) => (
            <li key={path}>{linkTo(path, name)}</li>
          ))}
        </ul>
        <Shortcuts
          areas={areas.map(([, name, letter]) => [letter, name])}
          onGo={(name: PlainName) => {
            const area = areas.find((each) => each[1] === name)
            if (area !== undefined) onGo(area[0])
          }}
        />
        <p className="px-3 text-sm text-soft">{t('timesIn', { zone })}</p>
      </nav>
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  )
}

/** How the links of the list look. */
export const areaLook = {
  activeProps: { className: 'bg-paper font-semibold border-line' },
  inactiveProps: { className: 'border-transparent' },
  className: 'block rounded-md border px-3 py-1.5 text-ink no-underline hover:bg-paper',
} as const
