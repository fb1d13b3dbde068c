/**
 * Takes the port before anything is written, and gives it up just before the server listens: a
 * start on a taken port leaves no trace.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { SettingsError } from '../settings/parsed-settings.ts'

export interface ReservedPort {
  readonly port: number
  /** Idempotent. */
  release(): Promise<void>
}

/** @throws {SettingsError} with one line that says what to do */
export async function reservePort(host: string, port: number): Promise<ReservedPort> {
  // Whoever asks already is turned away, and can try again: a connection that was kept would keep
  // the port.
  const holder = createServer((early) => early.destroy())
  try {
    await once(holder.listen({ host, port }), 'listening')
  } catch (error) {
    throw new SettingsError(reasonOf(error, host, port))
  }
  const address = holder.address()
  const taken = address !== null && typeof address === 'object' ? address.port : port
  return {
    port: taken,
    async release() {
      if (holder.listening) await once(holder.close(), 'close')
    },
  }
}

function reasonOf(error: unknown, host: string, port: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') {
    return `port ${port} on ${host} is taken: choose another with --port, or --port 0 for a free one`
  }
  if (code === 'EACCES') return `port ${port} may not be used: choose one above 1023 with --port`
  return `cannot listen on ${host}, port ${port}: choose another with --host and --port`
}
