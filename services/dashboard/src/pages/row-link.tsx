import { useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { fromPage } from './close-receipt.ts'

export interface RowLinkProps {
  /** Inside of the dashboard. */
  readonly href: string
  readonly children: ReactNode
}

/**
 * A link in a row of a list. The router's own `Link` works out anew where it leads whenever the
 * address changes, which takes long in a list of thousands; this one is told.
 */
export function RowLink({ href, children }: RowLinkProps) {
  const { history } = useRouter()
  return (
    <a
      href={href}
      onClick={(event) => {
        if (isForBrowser(event)) return
        event.preventDefault()
        history.push(href, fromPage)
      }}
    >
      {children}
    </a>
  )
}

/** Such as to open it in another tab. */
function isForBrowser({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return button !== 0 || metaKey || ctrlKey || shiftKey || altKey
}
