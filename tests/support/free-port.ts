/**
 * Ports of the loopback that are free at this moment, for servers that cannot choose one by
 * themselves. They lie below those that systems give to whoever names none: a server takes seconds
 * to start, and may keep its port while it is dead, and no other test is given it then.
 */
import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'

const LOWEST_PORT = 16_000
const HIGHEST_PORT = 32_000
const TRIES_MAX = 1_000

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  if (port === undefined) throw new Error('no free port')
  return port
}

/** All at once, so that none is given twice. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers: Server[] = []
  for (let tries = 0; servers.length < count && tries < TRIES_MAX; tries += 1) {
    const server = await listening(randomInt(LOWEST_PORT, HIGHEST_PORT))
    if (server !== undefined) servers.push(server)
  }
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))))
  if (ports.length < count) throw new Error('no free port')
  return ports
}

/** @returns undefined when somebody has the port */
async function listening(port: number): Promise<Server | undefined> {
  const server = createServer()
  const { promise, resolve } = Promise.withResolvers<boolean>()
  server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  return (await promise) ? server : undefined
}
