/**
 * Reads from an account's stream what it was charged at a price. It is read from the end, so that
 * what became of a request, and what was refunded of it, is known when its acceptance is reached;
 * nothing is kept of a request beyond that.
 */
import {
  type AccountEvent,
  type AccountEventOf,
  accountStream,
  isAccountEvent,
} from '@svc/contracts/events/account'
import { decodeEvent } from '@svc/contracts/events/codec'
import type { EventStore, RecordedEvent } from '@svc/contracts/ports/event-store'
import { inSteps, type Pace } from '@svc/contracts/ports/pace'
import type { TokenClass } from '@svc/contracts/tokens'
import type { PriceDifference } from '@svc/ledger/price-difference'

const PAGE_EVENTS = 250
/** This many take about a millisecond of decoding. */
const STEP_EVENTS = 50

type Debit = AccountEventOf<'CreditDebited'>['data']

export interface ChargedRequestsPorts {
  readonly store: Pick<EventStore, 'readStream'>
  readonly pace: Pace
}

export interface AskedCharges {
  readonly accountId: string
  /** Takes each request that it is about. */
  readonly difference: Pick<PriceDifference, 'isAbout' | 'add'>
  readonly categoryOf: (grantId: string) => 'paid' | 'promotional'
}

/** Follows the reading of a long stream. */
export interface Reading {
  readonly onPage: () => void
  /** Ends the reading before the next page. */
  readonly signal: AbortSignal
}

/**
 * @returns how many requests of the price run: what they will be charged is not known yet
 * @throws when the signal aborts
 */
export async function readCharges(
  { store, pace }: ChargedRequestsPorts,
  asked: AskedCharges,
  { onPage, signal }: Reading,
): Promise<number> {
  const stream = accountStream(asked.accountId)
  const charges = new ChargesFromTheEnd(asked)
  let from: number | undefined
  do {
    const asked = { stream, direction: 'backwards', limit: PAGE_EVENTS, from } as const
    const page: readonly RecordedEvent[] = await pace.step(() => store.readStream(asked))
    await inSteps(pace, page, STEP_EVENTS, (recorded) => {
      const event = decodeEvent(recorded)
      if (isAccountEvent(event)) charges.take(event)
    })
    from = (page.at(-1)?.revision ?? 0) - 1
    onPage()
    signal.throwIfAborted()
  } while (from >= 0)
  return charges.running
}

class ChargesFromTheEnd {
  readonly #asked: AskedCharges
  readonly #ended = new Map<string, Debit | null>()
  readonly #refunded = new Map<string, bigint>()
  running = 0

  constructor(asked: AskedCharges) {
    this.#asked = asked
  }

  take({ type, data }: AccountEvent): void {
    if (type === 'CreditRefunded') {
      const before = this.#refunded.get(data.requestId) ?? 0n
      this.#refunded.set(data.requestId, before + data.amount)
    } else if (type === 'CreditDebited') this.#ended.set(data.requestId, data)
    else if (type === 'RequestFailed' || type === 'RequestAbandoned') {
      this.#ended.set(data.requestId, null)
    } else if (type === 'RequestAccepted') this.#accepted(data)
  }

  #accepted({ requestId, price, at }: AccountEventOf<'RequestAccepted'>['data']): void {
    const debit = this.#ended.get(requestId)
    const refunded = this.#refunded.get(requestId) ?? 0n
    this.#ended.delete(requestId)
    this.#refunded.delete(requestId)
    const pinned = { version: price.version, acceptedAt: at }
    const { difference, categoryOf } = this.#asked
    if (!difference.isAbout(pinned)) return
    if (debit === undefined) this.running += 1
    if (!debit) return
    const { amount, debt, lines } = debit
    const slices = debit.slices.map((slice) => {
      return { amount: slice.amount, category: categoryOf(slice.grantId) }
    })
    difference.add({ ...pinned, amount, debt, slices, refunded, counts: countsOf(lines) })
  }
}

function countsOf(lines: Debit['lines']) {
  const tokens = (name: TokenClass) => lines.find((line) => line.class === name)?.tokens ?? 0
  return {
    inputTokens: tokens('input'),
    cachedInputTokens: tokens('cached_input'),
    outputTokens: tokens('output'),
  }
}
