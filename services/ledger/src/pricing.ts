/**
 * The price list: the stream `pricing`, folded in memory.
 *
 * A version is immutable and takes effect now or later, never in the past. Requests are pinned to
 * the version in force when they are accepted, so a price that reaches this process a moment later
 * changes no bill. The demo price is in force for the bundled model alone.
 */
import { ServiceError } from '@svc/contracts/errors'
import { decodeEvent, decodeMetadata, encodeEvent } from '@svc/contracts/events/codec'
import { type PricingEvent, pricingStream } from '@svc/contracts/events/pricing'
import { eventId, type IdSource } from '@svc/contracts/ids'
import { type EventStore, NO_STREAM, type StreamHead } from '@svc/contracts/ports/event-store'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { priceVersion, type Rates } from '@svc/contracts/price'
import { isDemoPrice } from './demo-price.ts'
import type { PublishedPrice } from './ledger.ts'
import type { LedgerLimits } from './writer/limits.ts'
import { defect, outcomeUnknown, storeUnavailable } from './writer/refusals.ts'
import { appendUntilKnown, type KnownOutcome } from './writer/settled-append.ts'

const MAX_PRICES = 10_000
const MAX_MODEL_CHARACTERS = 200
/** A price from so little before now is one from now: clocks differ, and a command takes time. */
const PAST_TOLERANCE_MS = 60_000

export interface PriceBookPorts {
  readonly store: EventStore
  readonly clock: Clock
  readonly timer: Timer
  readonly ids: IdSource
  readonly actor: string
  readonly limits: LedgerLimits
}

export interface NewPrice {
  readonly model: string
  readonly rates: Rates
  readonly effectiveFrom?: number
  readonly actor?: string
}

export class PriceBook {
  readonly #ports: PriceBookPorts
  readonly #all: PublishedPrice[] = []
  /** By model, in the order in which they take effect. */
  readonly #byModel = new Map<string, PublishedPrice[]>()
  #head: StreamHead = NO_STREAM
  /** Reading and publishing happen one after the other. */
  #last: Promise<unknown> = Promise.resolve()
  /** One look serves all who ask for it meanwhile. */
  #looking: Promise<void> | undefined
  #isClosed = false
  #cancelRefresh: () => void = () => {}

  constructor(ports: PriceBookPorts) {
    this.#ports = ports
  }

  /** Reads the price list, and keeps on looking for what other processes publish. */
  async open(): Promise<void> {
    await this.#inTurn(() => this.#catchUp())
    this.#planRefresh()
  }

  /** Reads at once what other processes have published meanwhile. Never rejects. */
  lookAgain(): Promise<void> {
    // When the store is away, the prices known so far stay in force.
    this.#looking ??= this.#inTurn(() => this.#catchUp())
      .catch(() => {})
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  /** The price in force at a moment, or null. The demo price is so only on the bundled model. */
  inForce(model: string, at: number, onBundledModel = false): PublishedPrice | null {
    const isInForce = ({ effectiveFrom, isDemo }: PublishedPrice): boolean =>
      effectiveFrom <= at && (onBundledModel || !isDemo)
    return this.#byModel.get(model)?.findLast(isInForce) ?? null
  }

  /** Every version that was ever published, oldest first. */
  all(): readonly PublishedPrice[] {
    return [...this.#all]
  }

  /** Resolves when the price is durable. @throws {ServiceError} */
  publish(price: NewPrice): Promise<PublishedPrice> {
    return this.#inTurn(() => this.#publish(price))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelRefresh()
    await this.#last
  }

  async #publish(newPrice: NewPrice): Promise<PublishedPrice> {
    const { clock, ids, limits } = this.#ports
    const { model, rates, effectiveFrom, actor = this.#ports.actor } = newPrice
    const at = clock.nowMs()
    const { input, cachedInput, output } = rates
    const price = { version: ids.next('price'), input, cachedInput, output }
    checkPrice(model, price, this.#all.length)
    checkMoment(effectiveFrom, at)
    const event: PricingEvent = {
      type: 'PricePublished',
      data: { model, price, effectiveFrom: Math.max(effectiveFrom ?? at, at), at },
    }
    const { version } = price
    const origin = { correlationId: version, causationId: version, actor }
    const encoded = encodeEvent(eventId(version, event.type), event, origin)
    for (let attempt = 0; attempt <= limits.conflictsInARow; attempt += 1) {
      const request = { stream: pricingStream, expected: this.#head, events: [encoded] }
      const outcome = await this.#append(request)
      if (outcome.kind !== 'conflict') {
        this.#head = outcome.head
        return this.#add(event, { revision: outcome.head.revision, actor })
      }
      await this.#catchUp()
    }
    throw storeUnavailable()
  }

  async #append(request: Parameters<EventStore['append']>[0]): Promise<KnownOutcome> {
    const { store, timer, limits } = this.#ports
    const overdue = Promise.withResolvers<never>()
    const known = appendUntilKnown(request, {
      store,
      timer,
      boundMs: limits.unknownOutcomeMs,
      onOverdue: (cause) => overdue.reject(outcomeUnknown(cause)),
      // Whatever becomes of it, the next append at this revision tells.
      isStopping: () => true,
    }).catch((cause) => {
      throw cause instanceof RangeError ? defect(cause) : storeUnavailable(cause)
    })
    known.catch(() => {})
    return Promise.race([known, overdue.promise])
  }

  async #catchUp(): Promise<void> {
    const { store, limits } = this.#ports
    const limit = limits.replayPageEvents
    for (;;) {
      const from = this.#head.revision + 1
      const page = await store.readStream({
        stream: pricingStream,
        direction: 'forwards',
        from,
        limit,
      })
      for (const recorded of page) {
        const { revision, hash } = recorded
        const { actor } = decodeMetadata(recorded)
        this.#add(decodeEvent(recorded) as PricingEvent, { revision, actor })
        this.#head = { revision, hash }
      }
      if (page.length < limit) return
    }
  }

  #add(
    { data }: PricingEvent,
    place: { readonly revision: number; readonly actor: string },
  ): PublishedPrice {
    const { model, price, effectiveFrom, at: publishedAt } = data
    const isDemo = isDemoPrice(price, place)
    const published: PublishedPrice = { ...price, model, isDemo, effectiveFrom, publishedAt }
    this.#all.push(published)
    const ofModel = this.#byModel.get(model) ?? []
    ofModel.push(published)
    // Stable: of two that take effect at once, the one published later counts.
    ofModel.sort((a, b) => a.effectiveFrom - b.effectiveFrom)
    this.#byModel.set(model, ofModel)
    return published
  }

  #planRefresh(): void {
    const { timer, limits } = this.#ports
    if (this.#isClosed) return
    this.#cancelRefresh = timer.after(limits.priceRefreshMs, () => {
      void this.lookAgain().then(() => this.#planRefresh())
    })
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }
}

function checkPrice(
  model: string,
  price: Rates & { readonly version: string },
  known: number,
): void {
  if (model.length === 0 || model.length > MAX_MODEL_CHARACTERS) {
    throw invalid(`The name of a model has 1 to ${MAX_MODEL_CHARACTERS} characters.`, 'model')
  }
  const { input, cachedInput, output } = price
  const text = { input: `${input}`, cachedInput: `${cachedInput}`, output: `${output}` }
  if (!priceVersion.safeParse({ version: price.version, ...text }).success) {
    const message = 'Prices are zero or more, and a cached token costs no more than a computed one.'
    throw invalid(message, 'rates')
  }
  if (known >= MAX_PRICES) {
    throw new ServiceError('conflict', `There are ${MAX_PRICES} prices, the most there can be.`)
  }
}

function checkMoment(effectiveFrom: number | undefined, at: number): void {
  if (effectiveFrom === undefined) return
  if (!Number.isSafeInteger(effectiveFrom)) {
    throw invalid('The moment is not a time in milliseconds since 1970.', 'effectiveFrom')
  }
  if (effectiveFrom >= at - PAST_TOLERANCE_MS) return
  const [from, now] = [new Date(effectiveFrom), new Date(at)].map((time) => time.toISOString())
  const message =
    `A price takes effect now or later: ${from} is past, it is ${now}. ` +
    'For a price from now on name no time.'
  throw invalid(message, 'effectiveFrom')
}

function invalid(message: string, param: string): ServiceError {
  return new ServiceError('invalid_value', message, { param })
}
