import type { LoggedEvent } from '@svc/contracts/admin/events'
import { useState } from 'react'
import { t } from '../operator-text.ts'

/** What an event says, as it is stored, for whoever opens it. */
export function EventContent({ event }: { readonly event: LoggedEvent }) {
  const [isOpen, setOpen] = useState(false)
  const { revision, hash, data, metadata } = event
  return (
    <details className="mt-1 text-xs" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="min-h-6 cursor-pointer py-1">{t('asStored')}</summary>
      {isOpen && (
        <pre className="mt-1 wrap-anywhere whitespace-pre-wrap">
          {JSON.stringify({ revision, hash, data, metadata }, undefined, 2)}
        </pre>
      )}
    </details>
  )
}
