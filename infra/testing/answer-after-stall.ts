/** A process that stands still while an answer for it comes in. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

const STALL_MS = 100

/**
 * Waits for an answer that lies in a socket when the stall is over, as any timer is by then.
 *
 * @param bounded waits for the answer with a bound shorter than 100 ms
 */
export async function answerAfterStall(
  bounded: (answer: Promise<string>) => Promise<string>,
): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const asked = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [answering] = (await once(server, 'connection')) as [Socket]
  onTestFinished(() => void [asked, answering].map((socket) => socket.destroy()))
  const answer = once(asked, 'data').then(String)
  // From here on timers come before sockets.
  await nextTurn()
  answering.write('pong')
  const outcome = bounded(answer)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS)
  return outcome
}
