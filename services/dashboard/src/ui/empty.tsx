import type { ReactNode } from 'react'

export interface EmptyProps {
  readonly title: string
  /** What to do about it. */
  readonly children?: ReactNode
}

/** Stands where there is nothing yet, and says why and what comes next. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div className="flex flex-col items-start gap-3 py-6">
      <p className="font-medium">{title}</p>
      {children}
    </div>
  )
}
