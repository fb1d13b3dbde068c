import { useBlocker } from '@tanstack/react-router'

const movesInHistory: ReadonlySet<string> = new Set(['BACK', 'FORWARD', 'GO'])

/**
 * While a secret is shown that nobody can see again, the browser's Back does not lead away from it,
 * and a reload asks first.
 */
export function useShownOnce(): void {
  useBlocker({ shouldBlockFn: isMoveInHistory, enableBeforeUnload: true })
}

function isMoveInHistory({ action }: { readonly action: string }): boolean {
  return movesInHistory.has(action)
}
