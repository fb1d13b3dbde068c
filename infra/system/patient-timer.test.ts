import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Timer } from '@svc/contracts/ports/time'
import { within } from '@svc/contracts/ports/within'
import { expect, onTestFinished, test } from 'vitest'
import { patientTimer } from './patient-timer.ts'
import { systemTimer } from './system-timer.ts'

const STALL_MS = 100

/** The answer lies in the socket, and nothing of this process runs until the time is over. */
async function answerAfterStall(timer: Timer): Promise<string> {
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
  const outcome = within(timer, 1, answer, 'late')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS)
  return outcome
}

test('an answer that came during a stall is read before the time counts as over', async () => {
  expect(await answerAfterStall(systemTimer)).toBe('late')
  expect(await answerAfterStall(patientTimer)).toBe('pong')
})

test('it is cancelled at any time before it runs', async () => {
  let runs = 0
  const run = () => (runs += 1)
  patientTimer.after(0, run)()
  const cancelBetween = patientTimer.after(0, run)
  // Of two timers with one delay the later one comes second: before the immediates.
  systemTimer.after(0, cancelBetween)
  await new Promise<void>((resolve) => patientTimer.after(5, resolve))
  expect(runs).toBe(0)
})
