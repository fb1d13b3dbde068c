import { useRouter } from '@tanstack/react-router'
import { useRef } from 'react'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether a link of the page one step back led here. */
    isFromPage?: boolean
  }
}

/** What a link that opens a receipt leaves in the history, so that closing it leads back. */
export const fromPage = { isFromPage: true } as const

/**
 * Gives what closes an open receipt: it leads back to the page that the receipt was opened from, as
 * that was left, whichever page it was.
 *
 * @param toList for a receipt that nobody opened from a page, such as by an address
 */
export function useCloseReceipt(toList: () => void): () => void {
  const { history } = useRouter()
  const isLeaving = useRef(false)
  return () => {
    if (history.location.state.isFromPage !== true) return toList()
    // The step back takes a moment: a second press meanwhile would be another step.
    if (isLeaving.current) return
    isLeaving.current = true
    history.back()
  }
}
