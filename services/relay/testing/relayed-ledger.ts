/** A ledger in memory with a relay on it: its log, its topic, its checkpoint, and the time. */
import type { Bus, BusRecord, BusTopic } from '@svc/contracts/ports/bus'
import { type RecordedEvent, START } from '@svc/contracts/ports/event-store'
import { MemoryBus } from '@svc/infra/bus/memory/memory-bus'
import { MemoryCluster } from '@svc/infra/bus/memory/memory-cluster'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory, START_MS } from '@svc/testing/account-history'
import { ManualTime } from '@svc/testing/manual-time'
import type { FeedCheckpoint } from '../src/feed-checkpoint.ts'
import { Relay } from '../src/relay.ts'

export const TOPIC = 'svc.ledger'
const PARTITIONS = 4
const PAGE_EVENTS = 1_000

const started: Relay[] = []

/** Stops the relays of all ledgers: to be called after each test. */
export async function stopRelays(): Promise<void> {
  for (const relay of started.splice(0)) await relay.stop()
}

export class RelayedLedger {
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
    started.push(relay)
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

export function idsByKey(events: readonly RecordedEvent[]): Record<string, readonly string[]> {
  return idsBy(events, ({ stream, id }) => [stream.slice('account-'.length), id])
}

function idsBy<Item>(
  items: readonly Item[],
  keyAndId: (item: Item) => readonly [string, string],
): Record<string, readonly string[]> {
  const groups = Map.groupBy(items.map(keyAndId), ([key]) => key)
  return Object.fromEntries([...groups].map(([key, some]) => [key, some.map(([, id]) => id)]))
}
