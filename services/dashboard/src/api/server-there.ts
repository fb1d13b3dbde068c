import { useEffect, useEffectEvent } from 'react'

const TIMEOUT_MS = 5_000
const LOOK_AGAIN_MS = 2_000

/** Whether the server that the pages are from gives out its first page. */
export async function isServerThere(): Promise<boolean> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const asked = fetch('/dashboard/', { method: 'HEAD', cache: 'no-store', signal })
  return asked.then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Looks every two seconds while the server was not reached, and says when it is there again. */
export function useServerBack(isAway: boolean, onBack: () => void): void {
  const look = useEffectEvent(async () => {
    if (await isServerThere()) onBack()
  })
  useEffect(() => {
    if (!isAway) return
    const timer = setInterval(() => void look(), LOOK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [isAway])
}
