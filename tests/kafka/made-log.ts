/**
 * A log that two processes see alike without sharing anything: its events follow from their
 * position, and how many there are follows from the time. Enough of an event store for a relay.
 */
import { hash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { accountOfStream, accountStream } from '@svc/contracts/events/account'
import type {
  EventStore,
  ReadAllRequest,
  ReadStreamRequest,
  RecordedEvent,
  SubscribeRequest,
  SubscriptionBatch,
} from '@svc/contracts/ports/event-store'

const ACCOUNTS = 20
const AMOUNT_MAX = 1_000_003
const LOOK_AGAIN_MS = 20

export class MadeLog implements Pick<EventStore, 'readAll' | 'readStream' | 'subscribe'> {
  readonly #size: () => number

  /** @param size how many events there are now; it never gets smaller */
  constructor(size: () => number) {
    this.#size = size
  }

  async readAll({ after, limit }: ReadAllRequest): Promise<readonly RecordedEvent[]> {
    const first = Number(after) + 1
    const count = Math.max(0, Math.min(limit, this.#size() - first))
    return Array.from({ length: count }, (_, at) => eventAt(first + at))
  }

  /** One event. */
  async readStream({ stream, from }: ReadStreamRequest): Promise<readonly RecordedEvent[]> {
    const account = Number(accountOfStream(stream)?.slice('acct_'.length))
    const at = Number(from) * ACCOUNTS + account
    return at < this.#size() ? [eventAt(at)] : []
  }

  async *subscribe(request: SubscribeRequest): AsyncGenerator<SubscriptionBatch> {
    const { batchSize, signal } = request
    let toldCaughtUp = false
    for (let { after } = request; !signal.aborted; ) {
      const events = await this.readAll({ after, limit: batchSize })
      after = events.at(-1)?.position ?? after
      const caughtUp = events.length < batchSize
      if (events.length > 0 || !toldCaughtUp) yield { events, caughtUp }
      toldCaughtUp = caughtUp
      if (caughtUp) await delay(LOOK_AGAIN_MS)
    }
  }
}

/** What each account was debited by the first `size` events, in pico-dollars. */
export function totalsOf(size: number): ReadonlyMap<string, bigint> {
  const totals = new Map<string, bigint>()
  for (let at = 0; at < size; at += 1) {
    totals.set(accountAt(at), (totals.get(accountAt(at)) ?? 0n) + amountAt(at))
  }
  return totals
}

function eventAt(at: number): RecordedEvent {
  const revision = Math.floor(at / ACCOUNTS)
  const requestId = `req_${at}`
  const data = {
    requestId,
    amount: `${amountAt(at)}`,
    balanceAfter: '0',
    at: 1_800_000_000_000 + at,
  }
  const origin = { correlationId: requestId, causationId: requestId, actor: 'test' }
  return {
    id: `00000000-0000-8000-8000-${at.toString(16).padStart(12, '0')}`,
    type: 'CreditDebited',
    data: JSON.stringify(data),
    metadata: JSON.stringify({ ...origin, schemaVersion: 1 }),
    stream: accountStream(accountAt(at)),
    revision,
    position: BigInt(at),
    hash: hash('sha256', `${at}`, 'hex'),
  }
}

function accountAt(at: number): string {
  return `acct_${at % ACCOUNTS}`
}

function amountAt(at: number): bigint {
  return BigInt((at * 7_919) % AMOUNT_MAX)
}
