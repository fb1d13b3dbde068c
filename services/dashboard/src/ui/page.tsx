import { type ReactNode, useEffect } from 'react'
import { useSession } from '../api/session.ts'
import { isolated } from '../text/isolated.ts'

export interface PageProps {
  readonly title: string
  /** The one thing that people come to do here. */
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** A page: its heading, its main action, and the title of the tab. */
export function Page({ title, action, children }: PageProps) {
  const { branding } = useSession()
  useEffect(() => {
    document.title = `${isolated(title)} · ${branding.name}`
  }, [title, branding.name])
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-4 p-4 md:p-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="min-w-0 text-2xl font-semibold wrap-anywhere">
          <bdi>{title}</bdi>
        </h1>
        {action}
      </div>
      {children}
    </div>
  )
}
