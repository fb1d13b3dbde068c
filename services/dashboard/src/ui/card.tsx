import type { ReactNode } from 'react'

export interface CardProps {
  readonly title?: ReactNode
  /** What stands at the right of the title. */
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** A part of a page with its own heading. */
export function Card({ title, action, children }: CardProps) {
  return (
    <section className="min-w-0 rounded-lg border border-line bg-paper">
      {(title !== undefined || action !== undefined) && (
        <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2">
          <h2 className="text-base font-semibold">{title}</h2>
          {action}
        </div>
      )}
      <div className="p-4">{children}</div>
    </section>
  )
}

/** Figures beside one another, in as many rows as their digits need. */
export function Figures({ children }: { readonly children: ReactNode }) {
  return <dl className="flex flex-wrap gap-4">{children}</dl>
}

/** One figure with its name above it. */
export function Figure({
  name,
  children,
}: {
  readonly name: string
  readonly children: ReactNode
}) {
  return (
    <div className="flex-1 basis-28">
      <dt className="text-sm text-soft">{name}</dt>
      <dd className="text-lg font-semibold sm:text-xl">{children}</dd>
    </div>
  )
}
