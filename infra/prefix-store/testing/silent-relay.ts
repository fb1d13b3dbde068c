/**
 * For tests: stands between a client and its server, and can fall silent, as a network does whose
 * other end is gone: what was connected stays so and nothing comes through any more, in neither
 * direction, not even the end. New connections are relayed.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface SilentRelay {
  readonly port: number
  /** All connections of this moment, for ever. */
  fallSilent(): void
  close(): Promise<void>
}

export async function startSilentRelay(targetPort: number): Promise<SilentRelay> {
  const pairs = new Set<readonly [Socket, Socket]>()
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(targetPort, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.pipe(to)
      from.on('error', () => to.destroy())
    }
    pairs.add([near, far])
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    fallSilent() {
      for (const [near, far] of pairs) {
        for (const socket of [near, far]) socket.unpipe().pause()
      }
    },
    async close() {
      for (const socket of [...pairs].flat()) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
