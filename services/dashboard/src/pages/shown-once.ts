import { useBlocker } from '@tanstack/react-router'

const movesInHistory: ReadonlySet<string> = new Set(['BACK', 'FORWARD', 'GO'])

/**
 * Keeps the browser's Back from leading away while a secret is shown that nobody can see again, and
 * makes a reload ask first.
 */
export function useShownOnce(): void {
  useBlocker({ shouldBlockFn: isMoveInHistory, enableBeforeUnload: true })
}

function isMoveInHistory({ action }: { readonly action: string }): boolean {
  return movesInHistory.has(action)
}
