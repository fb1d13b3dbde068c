import type { ReactNode } from 'react'
import { Page } from '../../ui/page.tsx'

export interface NarrowPageProps {
  readonly title: string
  readonly children: ReactNode
}

/** A page with one form and nothing beside it. */
export function NarrowPage({ title, children }: NarrowPageProps) {
  return (
    <div className="mx-auto w-full max-w-md">
      <Page title={title}>{children}</Page>
    </div>
  )
}
