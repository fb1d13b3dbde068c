/** A client and brokers of which only one side speaks TLS. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { systemTimer } from '../../system/system-timer.ts'
import { KafkaBus } from './kafka-bus.ts'

/** Hangs up on what is no request, as a broker does. */
const brokerWithoutTls = () => createServer((socket) => socket.once('data', () => socket.destroy()))
const brokerWithTls = () => createTlsServer()

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each([
  ['speaks TLS to brokers without', true, brokerWithoutTls, /without TLS .* SVC_KAFKA_TLS is on/],
  ['speaks no TLS to brokers with it', false, brokerWithTls, /with TLS .* SVC_KAFKA_TLS is off/],
])('who %s is told of the setting', async (_, tls, broker, words) => {
  const brokers = [await listening(broker())]
  const bus = new KafkaBus({ brokers, timer: systemTimer, security: { tls } })
  onTestFinished(() => bus.close())
  await expect(bus.open({ name: 'events', partitions: 8 })).rejects.toThrow(words)
  const consumer = bus.consume({
    topic: 'payments',
    group: 'svc-topups',
    take: async () => {},
    onTrouble: () => {},
  })
  await expect.poll(() => consumer.trouble).toMatch(words)
})
