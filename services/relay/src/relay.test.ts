import { once } from 'node:events'
import {
  type Bus,
  BusAwayError,
  type BusRecord,
  type BusTopic,
  MAX_DELIVERY_RECORDS,
} from '@svc/contracts/ports/bus'
import { type RecordedEvent, START } from '@svc/contracts/ports/event-store'
import { MemoryBus } from '@svc/infra/bus/memory/memory-bus'
import { MemoryCluster } from '@svc/infra/bus/memory/memory-cluster'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory, START_MS } from '@svc/testing/account-history'
import { ManualTime } from '@svc/testing/manual-time'
import { afterEach, expect, test } from 'vitest'
import type { FeedCheckpoint } from './feed-checkpoint.ts'
import { Relay } from './relay.ts'

const TOPIC = 'svc.ledger'
const PARTITIONS = 4
/** The time until acknowledged records are looked for, and the checkpoint is saved. */
const SAVED_MS = 1_000
const RETRIED_MS = 30_000
const PAGE_EVENTS = 1_000

const running: Relay[] = []
afterEach(async () => {
  for (const relay of running.splice(0)) await relay.stop()
})

test('every event about money is in the topic, in the order of its account', async () => {
  const house = new House()
  await house.earn(['ada', 'bob', 'cyd'], 20)
  house.relay()
  await house.pass(SAVED_MS)
  const events = await house.events()
  expect(await house.ids()).toEqual(idsByKey(events))
  expect(house.checkpoint?.position).toBe(events.at(-1)?.position)
  await house.earn(['ada'], 1)
  await house.pass(SAVED_MS)
  expect(await house.ids()).toEqual(idsByKey(await house.events()))
})

test('a relay goes on behind its checkpoint', async () => {
  const house = new House()
  await house.earn(['ada'], 5)
  const first = house.relay()
  await house.pass(SAVED_MS)
  await first.stop()
  await house.earn(['ada'], 5)
  house.relay()
  await house.pass(SAVED_MS)
  expect(await house.ids()).toEqual(idsByKey(await house.events()))
})

test('a relay that saved nothing sends all of it again, in order', async () => {
  const house = new House()
  await house.earn(['ada', 'bob'], 5)
  house.relay()
  await house.pass(SAVED_MS)
  house.checkpoint = undefined
  house.relay()
  await house.pass(SAVED_MS)
  const once = idsByKey(await house.events())
  const twice = Object.fromEntries(
    Object.entries(once).map(([key, ids]) => [key, [...ids, ...ids]]),
  )
  expect(await house.ids()).toEqual(twice)
})

test('while the bus is away the relay waits, says so, and saves nothing', async () => {
  const house = new House()
  const relay = house.relay()
  await house.pass(SAVED_MS)
  house.cluster.goAway()
  await house.earn(['ada'], 3)
  await house.pass(60_000)
  expect(relay.status()).toMatchObject({ position: START, trouble: 'the bus is away', lost: null })
  expect(relay.status().waitingMs).toBeGreaterThanOrEqual(59_000)
  expect([house.errors, house.warnings]).toEqual([['the feed cannot be sent, trying again'], []])
  house.cluster.comeBack()
  await house.pass(RETRIED_MS)
  expect([house.errors.length, house.warnings]).toEqual([1, ['the feed is sent again']])
  expect(await house.ids()).toEqual(idsByKey(await house.events()))
  expect(relay.status()).toMatchObject({ waitingMs: 0, trouble: null })
})

test('a relay whose bus is away stops at once', async () => {
  const house = new House()
  house.cluster.goAway()
  await house.earn(['ada'], 3)
  const relay = house.relay()
  await house.pass(SAVED_MS)
  expect(relay.status().trouble).toBe('the bus is away')
  await relay.stop()
})

test('records that were acknowledged and are not there are sent again', async () => {
  const house = new House()
  await house.earn(['ada'], 3)
  const relay = house.relay()
  await house.time.quiet()
  const [lossy] = [...(await house.topic()).acknowledged.keys()].filter((partition) => {
    return (house.cluster.topics.get(TOPIC)?.[partition] ?? []).length > 0
  })
  house.cluster.lose(TOPIC, lossy ?? 0, 2)
  await house.pass(RETRIED_MS)
  const [ids] = Object.values(await house.ids())
  const [expected] = Object.values(idsByKey(await house.events()))
  expect([...new Set(ids)].toSorted()).toEqual(expected?.toSorted())
  expect(relay.status()).toMatchObject({ trouble: null, lost: null })
})

test.each([false, true])(
  'a topic that is lost is told, and made: in mid-work %s',
  async (isRunning) => {
    const house = new House()
    await house.earn(['ada'], 3)
    let relay = house.relay()
    await house.pass(SAVED_MS)
    if (!isRunning) await relay.stop()
    house.cluster.topics.clear()
    if (!isRunning) relay = house.relay()
    await house.earn(['ada'], 1)
    await house.pass(RETRIED_MS)
    const lost = expect.stringMatching(/partition \d ends at 0 and not at \d/)
    expect(relay.status()).toMatchObject({ lost, trouble: null })
    expect(house.errors).toContain('the feed topic has lost records: svc feed check finds them')
  },
)

test('a check finds what a sender that gives up has lost', async () => {
  const house = new House()
  const relay = house.relay(TOPIC, impatient(new MemoryBus(house.cluster)))
  await house.pass(SAVED_MS)
  house.cluster.goAway()
  await house.earn(['ada'], 3)
  await house.pass(SAVED_MS)
  house.cluster.comeBack()
  await house.earn(['ada'], 2)
  await house.pass(RETRIED_MS)
  const signal = new AbortController().signal
  const { findings } = await relay.check({ signal })
  expect(findings).toMatchObject([{ missing: 12, firstMissing: 0n }])
  expect(await relay.resend({ from: 0n, signal })).toBe(18)
  expect((await relay.check({ signal })).findings).toEqual([])
})

test('relays that die while they catch up send at most one delivery again each', async () => {
  const house = new House()
  await house.earn(['ada', 'bob', 'cyd', 'dan'], 1_000)
  const deaths = [1, 2, 3, 1, 2]
  let [sent, distinct] = [0, 0]
  for (const last of deaths) {
    const bus = mortal(new MemoryBus(house.cluster), last)
    const relay = house.relay(TOPIC, bus)
    await bus.died
    const { checkpoint } = house
    await relay.stop()
    // A process that is killed saves nothing more.
    house.checkpoint = checkpoint
    const ids = Object.values(await house.ids()).flat()
    const again = ids.length - sent - (new Set(ids).size - distinct)
    expect(again).toBeLessThanOrEqual(MAX_DELIVERY_RECORDS)
    sent = ids.length
    distinct = new Set(ids).size
  }
  house.relay()
  await house.pass(SAVED_MS)
  expect(firstCopies(await house.ids())).toEqual(idsByKey(await house.events()))
})

test('while the topic does not tell how far it is, no more than one delivery is sent', async () => {
  const house = new House()
  await house.earn(['ada', 'bob', 'cyd', 'dan'], 500)
  const bus = new MemoryBus(house.cluster)
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
  const relay = house.relay(TOPIC, silent)
  await house.pass(RETRIED_MS)
  const ids = Object.values(await house.ids()).flat()
  expect(ids.length).toBeGreaterThan(0)
  expect(ids.length).toBeLessThanOrEqual(MAX_DELIVERY_RECORDS)
  expect(relay.status().trouble).toBe('no answer')
  isSilent = false
  await house.pass(RETRIED_MS)
  expect(await house.ids()).toEqual(idsByKey(await house.events()))
  expect(relay.status().trouble).toBeNull()
})

test('while its checkpoint cannot be saved, no more than one delivery is sent, and that is told', async () => {
  const house = new House()
  await house.earn(['ada', 'bob', 'cyd', 'dan'], 1_000)
  house.diskFault = new Error('no space left on device')
  const relay = house.relay()
  await house.pass(RETRIED_MS)
  const ids = Object.values(await house.ids()).flat()
  expect(ids.length).toBeGreaterThan(0)
  expect(ids.length).toBeLessThanOrEqual(MAX_DELIVERY_RECORDS)
  expect(relay.status().trouble).toContain('no space left on device')
  house.diskFault = undefined
  await house.pass(RETRIED_MS)
  expect(await house.ids()).toEqual(idsByKey(await house.events()))
  expect(relay.status().trouble).toBeNull()
})

test('a quiet feed whose checkpoint cannot be saved says so, until it can', async () => {
  const house = new House()
  const relay = house.relay()
  await house.pass(SAVED_MS)
  house.diskFault = new Error('no space left on device')
  await house.earn(['ada'], 1)
  await house.pass(60_000)
  const trouble = 'its checkpoint cannot be saved: no space left on device'
  expect(relay.status()).toMatchObject({ trouble, position: START, waitingMs: 0 })
  const told = 'failed to save the checkpoint of the feed, trying again'
  expect(house.errors).toEqual([told, 'the feed cannot be sent, trying again'])
  house.diskFault = undefined
  await house.pass(SAVED_MS)
  expect(relay.status().trouble).toBeNull()
  expect(house.warnings).toEqual(['the feed is sent again'])
})

test('a log that was restored, and has grown past the checkpoint since, is told and not sent', async () => {
  const house = new House()
  await house.earn(['ada'], 10)
  const before = house.relay()
  await house.pass(SAVED_MS)
  await before.stop()
  const restored = new House()
  restored.checkpoint = house.checkpoint
  await restored.earn(['ada'], 4)
  const after = restored.relay(TOPIC, new MemoryBus(house.cluster))
  await restored.pass(RETRIED_MS)
  expect(after.status().trouble).not.toBeNull()
  await restored.earn(['bob'], 20)
  await restored.pass(RETRIED_MS)
  expect(after.status().trouble).toContain('move feed.json away')
  expect(await house.ids()).toEqual(idsByKey(await house.events()))
})

test('another topic gets everything', async () => {
  const house = new House()
  await house.earn(['ada'], 3)
  const first = house.relay()
  await house.pass(SAVED_MS)
  await first.stop()
  house.relay('another')
  await house.pass(SAVED_MS)
  expect(await house.ids('another')).toEqual(idsByKey(await house.events()))
})

/** The planted fault: it goes on to the next batch when one is not acknowledged at once. */
function impatient(bus: Bus): Pick<Bus, 'open'> {
  return {
    async open(plan) {
      const topic = await bus.open(plan)
      const real = topic.deliver.bind(topic)
      const deliver: BusTopic['deliver'] = async (records, signal) => {
        const patience = new AbortController()
        const delivered = real(records, AbortSignal.any([signal, patience.signal]))
        if (topic.trouble !== null) patience.abort()
        await delivered.catch(() => {})
      }
      return Object.assign(topic, { deliver })
    },
  }
}

/** A bus that dies with `last` deliveries in the topic, of which the last is not acknowledged. */
function mortal(bus: Bus, last: number): Pick<Bus, 'open'> & { readonly died: Promise<void> } {
  const { promise: died, resolve } = Promise.withResolvers<void>()
  let count = 0
  return {
    died,
    async open(plan) {
      const topic = await bus.open(plan)
      const real = topic.deliver.bind(topic)
      const deliver: BusTopic['deliver'] = async (records, signal) => {
        await real(records, signal)
        count += 1
        if (count < last) return
        resolve()
        await once(signal, 'abort')
        signal.throwIfAborted()
      }
      return Object.assign(topic, { deliver })
    },
  }
}

class House {
  readonly time = new ManualTime()
  readonly store = new MemoryEventStore()
  readonly cluster = new MemoryCluster()
  readonly errors: string[] = []
  readonly warnings: string[] = []
  checkpoint: FeedCheckpoint | undefined
  diskFault: Error | undefined
  readonly #accounts = new Map<string, AccountHistory>()
  #requests = 0

  relay(topic = TOPIC, bus: Pick<Bus, 'open'> = new MemoryBus(this.cluster)): Relay {
    const relay = new Relay({
      store: this.store,
      bus,
      plan: { name: topic, partitions: PARTITIONS },
      checkpoints: {
        read: () => this.checkpoint,
        write: (checkpoint) => {
          if (this.diskFault !== undefined) throw this.diskFault
          this.checkpoint = checkpoint
        },
      },
      pace: { step: async (work) => work() },
      clock: this.time,
      timer: this.time,
      log: {
        info() {},
        warn: (_, message) => void this.warnings.push(message),
        error: (_, message) => void this.errors.push(message),
      },
    })
    relay.start()
    running.push(relay)
    return relay
  }

  async earn(names: readonly string[], requests: number): Promise<void> {
    for (const name of names) {
      const known = this.#accounts.get(name)
      const account = known ?? new AccountHistory(name).open()
      this.#accounts.set(name, account)
      for (let made = 0; made < requests; made += 1) {
        this.#requests += 1
        const at = START_MS + this.#requests
        account.accept(`req_${this.#requests}`, at).settle(`req_${this.#requests}`, at)
      }
      await account.writeTo(this.store)
    }
  }

  pass(ms: number): Promise<void> {
    return this.time.advance(ms)
  }

  async events(): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = []
    for (let isWhole = false; !isWhole; ) {
      const after = events.at(-1)?.position ?? START
      const page = await this.store.readAll({ after, limit: PAGE_EVENTS })
      events.push(...page)
      isWhole = page.length < PAGE_EVENTS
    }
    return events
  }

  topic(name = TOPIC): Promise<BusTopic> {
    return new MemoryBus(this.cluster).open({ name, partitions: PARTITIONS })
  }

  async ids(name = TOPIC): Promise<Record<string, readonly string[]>> {
    const topic = await this.topic(name)
    const found: BusRecord[] = []
    await topic.read((records) => void found.push(...records), new AbortController().signal)
    return idsBy(found, ({ key, headers }) => [key, headers.id ?? ''])
  }
}

function idsByKey(events: readonly RecordedEvent[]): Record<string, readonly string[]> {
  return idsBy(events, ({ stream, id }) => [stream.slice('account-'.length), id])
}

function idsBy<Item>(
  items: readonly Item[],
  keyAndId: (item: Item) => readonly [string, string],
): Record<string, readonly string[]> {
  const groups = Map.groupBy(items.map(keyAndId), ([key]) => key)
  return Object.fromEntries([...groups].map(([key, some]) => [key, some.map(([, id]) => id)]))
}

function firstCopies(
  found: Readonly<Record<string, readonly string[]>>,
): Record<string, readonly string[]> {
  const entries = Object.entries(found).map(([key, ids]) => [key, [...new Set(ids)]] as const)
  return Object.fromEntries(entries)
}
