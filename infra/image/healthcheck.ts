/** Ends with 0 when the server in this container answers. A worker has no such address. */
const port = process.env.SVC_PORT ?? '8080'

try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/livez`)
  process.exitCode = ok ? 0 : 1
} catch {
  process.exitCode = 1
}
