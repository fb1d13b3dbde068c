/**
 * Lets a request wait for its time, no longer than its client waits for it. Nothing is done for it
 * meanwhile, so its connection is among the first that make room for others.
 */
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

const paused = new WeakSet<Socket>()

/** Whether the request on this connection waits for its time. */
export function isRequestPaused(socket: Socket): boolean {
  return paused.has(socket)
}

/** @param wait resolves when the time has come, or when the signal says that the client has left */
export async function pausedFor(
  { raw }: FastifyReply,
  wait: (gone: AbortSignal) => Promise<void>,
): Promise<void> {
  const gone = new AbortController()
  const leave = (): void => gone.abort()
  const { socket } = raw
  raw.once('close', leave)
  if (socket !== null) paused.add(socket)
  await wait(gone.signal)
  if (socket !== null) paused.delete(socket)
  raw.off('close', leave)
}
