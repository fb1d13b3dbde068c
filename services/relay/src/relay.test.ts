import { type Bus, BusAwayError, DELIVERY_RECORDS_MAX } from '@svc/contracts/ports/bus'
import { START } from '@svc/contracts/ports/event-store'
import { MemoryBus } from '@svc/infra/bus/memory/memory-bus'
import { afterEach, expect, test, vi } from 'vitest'
import { impatient, mortal, refusing } from '../testing/faulty-buses.ts'
import { idsByKey, RelayedLedger, stopRelays, TOPIC } from '../testing/relayed-ledger.ts'

/** The time until acknowledged records are looked for, and the checkpoint is saved. */
const SAVED_MS = 1_000
const RETRIED_MS = 30_000

afterEach(stopRelays)

test('every event about money is in the topic, in the order of its account', async () => {
  const ledger = new RelayedLedger()
  await ledger.earn(['ada', 'bob', 'cyd'], 20)
  ledger.relay()
  await ledger.pass(SAVED_MS)
  const events = await ledger.events()
  expect(await ledger.ids()).toEqual(idsByKey(events))
  expect(ledger.checkpoint?.position).toBe(events.at(-1)?.position)
  await ledger.earn(['ada'], 1)
  await ledger.pass(SAVED_MS)
  expect(await ledger.ids()).toEqual(idsByKey(await ledger.events()))
})

test('a relay goes on behind its checkpoint', async () => {
  const ledger = new RelayedLedger()
  await ledger.earn(['ada'], 5)
  const first = ledger.relay()
  await ledger.pass(SAVED_MS)
  await first.stop()
  await ledger.earn(['ada'], 5)
  ledger.relay()
  await ledger.pass(SAVED_MS)
  expect(await ledger.ids()).toEqual(idsByKey(await ledger.events()))
})

test('a relay that saved nothing sends all of it again, in order, and says so', async () => {
  const ledger = new RelayedLedger()
  await ledger.earn(['ada', 'bob'], 5)
  ledger.relay()
  await ledger.pass(SAVED_MS)
  expect(ledger.warnings).toEqual([])
  ledger.checkpoint = undefined
  ledger.relay()
  await ledger.pass(SAVED_MS)
  expect(ledger.warnings).toEqual(['the feed begins anew on a topic that has records'])
  const once = idsByKey(await ledger.events())
  const twice = Object.fromEntries(
    Object.entries(once).map(([key, ids]) => [key, [...ids, ...ids]]),
  )
  expect(await ledger.ids()).toEqual(twice)
})

test('while the bus is away the relay waits, says so, and saves nothing', async () => {
  const ledger = new RelayedLedger()
  const relay = ledger.relay()
  await ledger.pass(SAVED_MS)
  ledger.cluster.goAway()
  await ledger.earn(['ada'], 3)
  await ledger.pass(60_000)
  expect(relay.status()).toMatchObject({ position: START, trouble: 'the bus is away', lost: null })
  expect(relay.status().waitingMs).toBeGreaterThanOrEqual(59_000)
  expect([ledger.errors, ledger.warnings]).toEqual([['the feed cannot be sent, retrying'], []])
  ledger.cluster.comeBack()
  await ledger.pass(RETRIED_MS)
  expect([ledger.errors.length, ledger.warnings]).toEqual([1, ['the feed is sent again']])
  expect(await ledger.ids()).toEqual(idsByKey(await ledger.events()))
  expect(relay.status()).toMatchObject({ waitingMs: 0, trouble: null })
})

test('what a topic lacks is told once, however often Kafka refuses a delivery', async () => {
  const ledger = new RelayedLedger()
  await ledger.earn(['ada'], 1)
  ledger.relay(TOPIC, refusing(new MemoryBus(ledger.cluster), 'it keeps no copies'))
  await ledger.pass(60_000)
  expect([ledger.errors.length, ledger.warnings.length]).toEqual([1, 1])
})

test('a relay whose bus is away stops at once', async () => {
  const ledger = new RelayedLedger()
  ledger.cluster.goAway()
  await ledger.earn(['ada'], 3)
  const relay = ledger.relay()
  await ledger.pass(SAVED_MS)
  expect(relay.status().trouble).toBe('the bus is away')
  await relay.stop()
})

test('records that were acknowledged and are not there are sent again', async () => {
  const ledger = new RelayedLedger()
  await ledger.earn(['ada'], 3)
  const relay = ledger.relay()
  await ledger.time.quiet()
  const [lossy] = [...(await ledger.topic()).acknowledged.keys()].filter((partition) => {
    return (ledger.cluster.topics.get(TOPIC)?.[partition] ?? []).length > 0
  })
  ledger.cluster.lose(TOPIC, lossy ?? 0, 2)
  await ledger.pass(RETRIED_MS)
  const [ids] = Object.values(await ledger.ids())
  const [expected] = Object.values(idsByKey(await ledger.events()))
  expect([...new Set(ids)].toSorted()).toEqual(expected?.toSorted())
  expect(relay.status()).toMatchObject({ trouble: null, lost: null })
})

test.each([false, true])(
  'a topic that is lost is told, and made: in mid-work %s',
  async (isRunning) => {
    const ledger = new RelayedLedger()
    await ledger.earn(['ada'], 3)
    let relay = ledger.relay()
    await ledger.pass(SAVED_MS)
    if (!isRunning) await relay.stop()
    ledger.cluster.topics.clear()
    if (!isRunning) relay = ledger.relay()
    await ledger.earn(['ada'], 1)
    await ledger.pass(RETRIED_MS)
    const lost = expect.stringMatching(/partition \d ends at 0 and not at \d/)
    expect(relay.status()).toMatchObject({ lost, trouble: null })
    expect(ledger.errors).toContain('the feed topic has lost records: svc feed check finds them')
  },
)

test('a check finds what a sender that gives up has lost', async () => {
  const ledger = new RelayedLedger()
  const relay = ledger.relay(TOPIC, impatient(new MemoryBus(ledger.cluster)))
  await ledger.pass(SAVED_MS)
  ledger.cluster.goAway()
  await ledger.earn(['ada'], 3)
  await ledger.pass(SAVED_MS)
  ledger.cluster.comeBack()
  await ledger.earn(['ada'], 2)
  await ledger.pass(RETRIED_MS)
  const signal = new AbortController().signal
  const { findings } = await relay.check({ signal })
  expect(findings).toMatchObject([{ missing: 12, firstMissing: 0n }])
  expect(await relay.resend({ from: 0n, signal })).toBe(18)
  expect((await relay.check({ signal })).findings).toEqual([])
})

test('what is sent again is read from where it begins', async () => {
  const ledger = new RelayedLedger()
  const relay = ledger.relay()
  await ledger.earn(['ada'], 400)
  await ledger.pass(SAVED_MS)
  const { position } = relay.status()
  const read = vi.spyOn(ledger.store, 'readAll')
  const signal = new AbortController().signal
  expect(await relay.resend({ from: position - 1n, signal })).toBe(2)
  expect(read.mock.calls.map(([{ after }]) => after)).toEqual([position - 2n])
})

test('relays that die while they catch up send at most one delivery again each', async () => {
  const ledger = new RelayedLedger()
  await ledger.earn(['ada', 'bob', 'cyd', 'dan'], 1_000)
  const deaths = [1, 2, 3, 1, 2]
  let [sent, distinct] = [0, 0]
  for (const last of deaths) {
    const bus = mortal(new MemoryBus(ledger.cluster), last)
    const relay = ledger.relay(TOPIC, bus)
    await bus.died
    const { checkpoint } = ledger
    await relay.stop()
    // A process that is killed saves nothing more.
    ledger.checkpoint = checkpoint
    const ids = Object.values(await ledger.ids()).flat()
    const again = ids.length - sent - (new Set(ids).size - distinct)
    expect(again).toBeLessThanOrEqual(DELIVERY_RECORDS_MAX)
    sent = ids.length
    distinct = new Set(ids).size
  }
  ledger.relay()
  await ledger.pass(SAVED_MS)
  expect(firstCopies(await ledger.ids())).toEqual(idsByKey(await ledger.events()))
})

test('while the topic does not tell how far it is, no more than one delivery is sent', async () => {
  const ledger = new RelayedLedger()
  await ledger.earn(['ada', 'bob', 'cyd', 'dan'], 500)
  const bus = new MemoryBus(ledger.cluster)
  let isSilent = true
  const silent: Pick<Bus, 'open'> = {
    async open(plan) {
      const topic = await bus.open(plan)
      const ends = topic.ends.bind(topic)
      let asked = 0
      return Object.assign(topic, {
        async ends() {
          asked += 1
          if (isSilent && asked > 1) throw new BusAwayError('no answer')
          return ends()
        },
      })
    },
  }
  const relay = ledger.relay(TOPIC, silent)
  await ledger.pass(RETRIED_MS)
  const ids = Object.values(await ledger.ids()).flat()
  expect(ids.length).toBeGreaterThan(0)
  expect(ids.length).toBeLessThanOrEqual(DELIVERY_RECORDS_MAX)
  expect(relay.status().trouble).toBe('no answer')
  isSilent = false
  await ledger.pass(RETRIED_MS)
  expect(await ledger.ids()).toEqual(idsByKey(await ledger.events()))
  expect(relay.status().trouble).toBeNull()
})

test('while its checkpoint cannot be saved, no more than one delivery is sent, and that is told', async () => {
  const ledger = new RelayedLedger()
  await ledger.earn(['ada', 'bob', 'cyd', 'dan'], 1_000)
  ledger.diskFault = new Error('no space left on device')
  const relay = ledger.relay()
  await ledger.pass(RETRIED_MS)
  const ids = Object.values(await ledger.ids()).flat()
  expect(ids.length).toBeGreaterThan(0)
  expect(ids.length).toBeLessThanOrEqual(DELIVERY_RECORDS_MAX)
  expect(relay.status().trouble).toContain('no space left on device')
  ledger.diskFault = undefined
  await ledger.pass(RETRIED_MS)
  expect(await ledger.ids()).toEqual(idsByKey(await ledger.events()))
  expect(relay.status().trouble).toBeNull()
})

test('a quiet feed whose checkpoint cannot be saved says so, until it can', async () => {
  const ledger = new RelayedLedger()
  const relay = ledger.relay()
  await ledger.pass(SAVED_MS)
  ledger.diskFault = new Error('no space left on device')
  await ledger.earn(['ada'], 1)
  await ledger.pass(60_000)
  const trouble = 'its checkpoint cannot be saved: no space left on device'
  expect(relay.status()).toMatchObject({ trouble, position: START, waitingMs: 0 })
  const told = 'failed to save the checkpoint of the feed, retrying'
  expect(ledger.errors).toEqual([told, 'the feed cannot be sent, retrying'])
  ledger.diskFault = undefined
  await ledger.pass(SAVED_MS)
  expect(relay.status().trouble).toBeNull()
  expect(ledger.warnings).toEqual(['the feed is sent again'])
})

test('a log that was restored, and has grown past the checkpoint since, is told and not sent', async () => {
  const ledger = new RelayedLedger()
  await ledger.earn(['ada'], 10)
  const before = ledger.relay()
  await ledger.pass(SAVED_MS)
  await before.stop()
  const restored = new RelayedLedger()
  restored.checkpoint = ledger.checkpoint
  await restored.earn(['ada'], 4)
  const after = restored.relay(TOPIC, new MemoryBus(ledger.cluster))
  await restored.pass(RETRIED_MS)
  expect(after.status().trouble).not.toBeNull()
  await restored.earn(['bob'], 20)
  await restored.pass(RETRIED_MS)
  expect(after.status().trouble).toContain('move feed.json away')
  expect(await ledger.ids()).toEqual(idsByKey(await ledger.events()))
})

test.each(['no', 'an earlier'])(
  'a log of before, with %s checkpoint, sends nothing to a topic with what happened since',
  async (checkpoint) => {
    const ledger = new RelayedLedger()
    const restored = new RelayedLedger()
    await ledger.earn(['ada'], 4)
    ledger.relay()
    await ledger.pass(SAVED_MS)
    if (checkpoint !== 'no') restored.checkpoint = ledger.checkpoint
    await ledger.earn(['ada'], 6)
    await ledger.pass(SAVED_MS)
    await restored.earn(['ada'], 4)
    await restored.earn(['bob'], 20)
    const bus = new MemoryBus(ledger.cluster)
    const relay = restored.relay(TOPIC, bus)
    await restored.pass(RETRIED_MS)
    expect(relay.status().trouble).toMatch(/^the topic has an event of acct_.* a new topic$/)
    expect(restored.errors).toEqual(['the feed cannot be sent, retrying'])
    expect(await ledger.ids()).toEqual(idsByKey(await ledger.events()))
    await relay.stop()
    const anew = restored.relay('another', bus)
    await restored.pass(SAVED_MS)
    expect(anew.status().trouble).toBeNull()
    expect(await ledger.ids('another')).toEqual(idsByKey(await restored.events()))
  },
)

test('what another program wrote to the topic keeps no relay from it', async () => {
  const ledger = new RelayedLedger()
  await ledger.earn(['ada'], 2)
  const topic = await ledger.topic()
  await topic.deliver([{ key: 'ada', value: 'hello', headers: {} }], new AbortController().signal)
  const relay = ledger.relay()
  await ledger.pass(SAVED_MS)
  expect(relay.status()).toMatchObject({ trouble: null, position: ledger.checkpoint?.position })
})

test('another topic gets everything', async () => {
  const ledger = new RelayedLedger()
  await ledger.earn(['ada'], 3)
  const first = ledger.relay()
  await ledger.pass(SAVED_MS)
  await first.stop()
  ledger.relay('another')
  await ledger.pass(SAVED_MS)
  expect(await ledger.ids('another')).toEqual(idsByKey(await ledger.events()))
})

function firstCopies(
  found: Readonly<Record<string, readonly string[]>>,
): Record<string, readonly string[]> {
  const entries = Object.entries(found).map(([key, ids]) => [key, [...new Set(ids)]] as const)
  return Object.fromEntries(entries)
}
