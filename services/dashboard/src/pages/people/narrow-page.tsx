import { type ReactNode, useEffect, useRef } from 'react'
import { Page } from '../../ui/page.tsx'

export interface NarrowPageProps {
  readonly title: string
  readonly children: ReactNode
}

/** A page with one form and nothing beside it: where that is there at once, one can type. */
export function NarrowPage({ title, children }: NarrowPageProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.querySelector<HTMLElement>('form input')?.focus(), [])
  return (
    <div ref={place} className="mx-auto w-full max-w-md">
      <Page title={title}>{children}</Page>
    </div>
  )
}
