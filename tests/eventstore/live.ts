/** When a server that was started again can be used. */
const LIVE_TIMEOUT_MS = 60_000
const LOOK_AGAIN_MS = 50

/** Resolves when the server at the address takes connections. */
export async function isLive(url: string): Promise<void> {
  const health = healthOf(url)
  const deadline = performance.now() + LIVE_TIMEOUT_MS
  for (;;) {
    const status = await fetch(health).then((answer) => answer.status, String)
    if (status === 204) return
    if (performance.now() > deadline) throw new Error(`the store stays down: ${status}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}

/** Of the first host. With TLS Node.js must know the authority: NODE_EXTRA_CA_CERTS. */
function healthOf(url: string): string {
  const [, host = ''] = /^esdb:\/\/(?:[^@/]*@)?([^,/?]+)/.exec(url) ?? []
  return `${url.includes('tls=false') ? 'http' : 'https'}://${host}/health/live`
}
