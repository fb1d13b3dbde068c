/** Two ledgers on one account, over a store on which a read takes longer than an append. */
import type { EventStore } from '@svc/contracts/ports/event-store'
import { pause } from '@svc/contracts/ports/time'
import { MemoryEventStore, MemoryLog } from '@svc/infra/event-store/memory/memory-event-store'
import { openFunded, openLedger, payment, request } from '@svc/testing/ledger/open-ledger'
import { sampleId } from '@svc/testing/ledger/sample'
import { ManualTime } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'

const APPEND_MS = 2
const READ_MS = 10

function slowStore(time: ManualTime) {
  const store = new MemoryEventStore()
  const slow: EventStore = {
    async append(batch) {
      await pause(time, APPEND_MS)
      return store.append(batch)
    },
    async readStream(page) {
      const events = await store.readStream(page)
      await pause(time, READ_MS)
      return events
    },
    readAll: (page) => store.readAll(page),
    readAllBackwards: (page) => store.readAllBackwards(page),
    lastPosition: () => store.lastPosition(),
    subscribe: (from) => store.subscribe(from),
    close: () => store.close(),
  }
  return slow
}

/** One ledger that never rests, and another one that comes by. */
async function openBusy() {
  const time = new ManualTime()
  const store = slowStore(time)
  const limits = { restEveryMs: 300 }
  const busy = await openLedger({ store, time, limits })
  const { accountId, keyId } = await openFunded(busy, 10n ** 12n)
  const late = await openLedger({ store, time, limits, gatewayId: sampleId('gw', 2) })
  let isOver = false
  let accepted = 0
  const client = async () => {
    while (!isOver) {
      await (await busy.ledger.accept(accountId, request(busy, keyId))).durable
      accepted += 1
    }
  }
  const clients = Promise.all([client(), client(), client()])
  const accept = async () => {
    const { durable } = await late.ledger.accept(accountId, request(late, keyId))
    await durable
  }
  const end = async () => {
    isOver = true
    await time.until(clients)
  }
  return { time, accept, end, accepted: () => accepted }
}

test('a writer that never rests does not shut another one out', async () => {
  const { time, accept, end } = await openBusy()
  for (let round = 0; round < 20; round += 1) await time.until(accept())
  await end()
})

test('once they know of each other they take turns', async () => {
  const { time, accept, end, accepted } = await openBusy()
  await time.until(accept())
  const before = accepted()
  for (let round = 0; round < 20; round += 1) await time.until(accept())
  expect(accepted() - before).toBeLessThan(20 * 12)
  expect(accepted() - before).toBeGreaterThan(20)
  await end()
})

test('who asks while an append is under way is told what others were told before', async () => {
  const time = new ManualTime()
  const log = new MemoryLog()
  const acknowledged = Promise.withResolvers<void>()
  const first = await openLedger({ store: new MemoryEventStore(log), time })
  const { accountId, keyId } = await openFunded(first, 1_000n)
  const slow = new MemoryEventStore(log)
  const append = slow.append.bind(slow)
  slow.append = async (batch) => {
    const outcome = await append(batch)
    await acknowledged.promise
    return outcome
  }
  const asked = await openLedger({ store: slow, time, gatewayId: sampleId('gw', 2) })
  const accepted = asked.ledger.accept(accountId, request(asked, keyId))
  await time.quiet()
  await time.until(first.ledger.administration.grant(accountId, payment(500n)))
  const balance = asked.ledger.balance(accountId)
  acknowledged.resolve()
  expect(await time.until(balance)).toMatchObject({ settled: 1_500n, held: 50n })
  await (await accepted).durable
})

test('who asks while the stream is read is told what others were told before', async () => {
  const time = new ManualTime()
  const log = new MemoryLog()
  const slow = new MemoryEventStore(log)
  const first = await openLedger({ store: new MemoryEventStore(log), time })
  const { accountId } = await openFunded(first, 1_000n)
  const asked = await openLedger({ store: slow, time, gatewayId: sampleId('gw', 2) })
  const readStream = slow.readStream.bind(slow)
  slow.readStream = async (page) => {
    const events = await readStream(page)
    await pause(time, READ_MS)
    return events
  }
  const early = asked.ledger.balance(accountId)
  await time.quiet()
  await first.ledger.administration.grant(accountId, payment(500n))
  const late = asked.ledger.balance(accountId)
  expect(await time.until(early)).toMatchObject({ settled: 1_000n })
  expect(await time.until(late)).toMatchObject({ settled: 1_500n })
})
