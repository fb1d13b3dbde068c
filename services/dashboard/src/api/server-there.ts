const TIMEOUT_MS = 5_000

/** Whether the server that the pages are from gives out its first page. */
export async function isServerThere(): Promise<boolean> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const asked = fetch('/dashboard/', { method: 'HEAD', cache: 'no-store', signal })
  return asked.then(
    ({ ok }) => ok,
    () => false,
  )
}
