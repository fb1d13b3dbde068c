/**
 * The price book: the stream `pricing`, read into memory and written.
 *
 * A version is immutable and takes effect now or later, never in the past; until shortly before it
 * does, it can be withdrawn. Requests are pinned to the version in force when they are accepted, so
 * a price that reaches this process a moment later changes no bill. The demo price is in force for
 * the bundled model alone.
 */
import { isDemoPrice } from '@svc/contracts/demo-price'
import { ServiceError, serverStopping } from '@svc/contracts/errors'
import type { PriceCorrection } from '@svc/contracts/events/account'
import { decodeEvent, decodeMetadata, encodeEvent } from '@svc/contracts/events/codec'
import { type PricingEvent, pricingStream } from '@svc/contracts/events/pricing'
import { eventId, type IdSource, idOfIdempotencyKey } from '@svc/contracts/ids'
import type { EventStore, NewEvent } from '@svc/contracts/ports/event-store'
import { damageIn, type Quarantine } from '@svc/contracts/ports/quarantine'
import type { SnapshotStore } from '@svc/contracts/ports/snapshot-store'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { DEFAULT_PRICE_LIST, type PriceVersion } from '@svc/contracts/price'
import { FoldedStream } from '../writer/folded-stream.ts'
import type { LedgerLimits } from '../writer/ledger-limits.ts'
import { isDamage, recordsDamaged, storeUnavailable } from '../writer/refusals.ts'
import { KeptPrices } from './kept-prices.ts'
import { PriceLists, type PriceQuery } from './price-lists.ts'
import {
  CORRECTIONS_MAX,
  type CorrectedPrice,
  checkCorrection,
  checkNotAccepted,
  checkPrice,
  checkSamePrice,
  checkSameRun,
  checkSchedule,
  checkWithdrawal,
  startOf,
} from './price-rules.ts'
import type { AskedCorrection, NewPrice, PriceNeighbours, Pricing, Withdrawal } from './pricing.ts'
import type { PricePublication, PublishedPrice, WithdrawnPrice } from './published-price.ts'

export interface PriceBookPorts {
  readonly store: EventStore
  /** Keeps why a price was withdrawn, or corrected. */
  readonly texts: Pick<TextStore, 'keep'>
  readonly clock: Clock
  readonly timer: Timer
  readonly ids: IdSource
  readonly actor: string
  readonly limits: LedgerLimits
  readonly snapshots: SnapshotStore
  readonly quarantine: Quarantine
}

export class PriceBook implements Pricing {
  readonly #ports: PriceBookPorts
  readonly #lists = new PriceLists()
  /** Corrections by the id of their run. */
  readonly #corrections = new Map<string, PriceCorrection>()
  readonly #stream: FoldedStream
  readonly #kept: KeptPrices
  /** All of the stream, by their revisions. */
  readonly #events: NewEvent[] = []
  #isClosed = false
  #cancelRefresh: () => void = () => {}

  constructor(ports: PriceBookPorts) {
    this.#ports = ports
    const { store, timer, limits, quarantine } = ports
    this.#kept = new KeptPrices(ports.snapshots)
    this.#stream = new FoldedStream(
      { store, timer, limits, quarantine },
      {
        stream: pricingStream,
        from: 'start',
        fold: (event, revision) => this.#take(event, revision),
      },
    )
  }

  /**
   * Reads the prices, and keeps on looking for what other processes publish. When the stream is
   * damaged the prices go on as they were last known here.
   */
  async open(): Promise<void> {
    try {
      await this.#stream.catchUp()
      this.#keep()
    } catch (error) {
      if (damageIn(error) === undefined) throw error
      const { head } = this.#stream
      const kept = this.#kept.behind(head)
      for (const [index, event] of kept.entries()) this.#take(event, head.revision + 1 + index)
    }
    this.#planRefresh()
  }

  lookAgain(): Promise<void> {
    return this.#stream.catchUp().then(
      () => this.#keep(),
      // When the store is away, or the stream damaged, the prices known so far stay in force.
      () => {},
    )
  }

  #keep(): void {
    this.#kept.save(this.#events, this.#stream.head)
  }

  /** The price in force at a moment, or null; undefined for a list that is not known here. */
  inForce(query: PriceQuery, at: number): PublishedPrice | null | undefined {
    return this.#lists.inForce(query, at)
  }

  current(model: string, onBundledModel = false, priceList = DEFAULT_PRICE_LIST) {
    const query = { model, priceList, onBundledModel }
    return this.inForce(query, this.#ports.clock.nowMs()) ?? null
  }

  next(model: string, onBundledModel = false, priceList = DEFAULT_PRICE_LIST) {
    return this.#lists.next({ model, priceList, onBundledModel }, this.#ports.clock.nowMs())
  }

  startOf(priceList: string, onBundledModel = false): number | null {
    return this.#lists.startOf({ priceList, onBundledModel }, this.#ports.clock.nowMs())
  }

  isRun(runId: string): boolean {
    return this.#corrections.has(runId)
  }

  published(): readonly PublishedPrice[] {
    return this.#lists.all()
  }

  /** Resolves to whether a list has a price, in force or announced, as far as the log knows. */
  async isInUse(priceList: string): Promise<boolean> {
    if (!this.#lists.isInUse(priceList)) await this.lookAgain()
    return this.#lists.isInUse(priceList)
  }

  async preview(price: NewPrice): Promise<PriceNeighbours> {
    await this.#readNewest()
    const at = this.#ports.clock.nowMs()
    const { model, priceList } = this.#checked(price, at)
    const query = { model, priceList, onBundledModel: true }
    const start = startOf(price.effectiveFrom, at)
    return {
      replaced: this.#lists.replacedBy(query, start),
      replacedBy: this.#lists.ending(priceList, model, start),
    }
  }

  async publish(price: NewPrice): Promise<PricePublication> {
    const { version, created } = await this.#publish(price)
    return { price: this.#known(version), created }
  }

  async publishFirst(price: NewPrice): Promise<void> {
    await this.#publish(price, true)
  }

  async withdraw({ version, reason, actor }: Withdrawal): Promise<WithdrawnPrice> {
    await this.#readNewest()
    let alreadyWithdrawn = false
    await this.#record(version, actor, async () => {
      const at = this.#ports.clock.nowMs()
      const price = this.#lists.find(version)
      checkWithdrawal(version, price, at)
      alreadyWithdrawn = price?.withdrawnAt !== null
      if (alreadyWithdrawn) return undefined
      const word = await this.#ports.texts.keep(version, reason)
      return { type: 'PriceWithdrawn', data: { version, reason: word, at } }
    })
    return { price: this.#known(version), alreadyWithdrawn }
  }

  async previewCorrection(asked: CorrectedPrice): Promise<PriceCorrection> {
    await this.#readNewest()
    return this.#correction('', asked, this.#ports.clock.nowMs())
  }

  async correct({ idempotencyKey, reason, actor, ...asked }: AskedCorrection) {
    // A run is named by its key alone: it goes on under it after a crash.
    const runId = idOfIdempotencyKey('run', idempotencyKey)
    await this.#readNewest()
    await this.#record(runId, actor, async () => {
      const begun = this.#corrections.get(runId)
      if (begun !== undefined) {
        checkSameRun(begun, asked)
        return undefined
      }
      if (this.#corrections.size >= CORRECTIONS_MAX) {
        const message = `There are ${CORRECTIONS_MAX} corrections, the most there can be.`
        throw new ServiceError('conflict', message)
      }
      const at = this.#ports.clock.nowMs()
      const correction = this.#correction(runId, asked, at)
      checkNotAccepted(asked.version, this.#lastAcceptedAt(correction), at)
      const word = await this.#ports.texts.keep(runId, reason)
      return { type: 'PriceCorrected', data: { correction, reason: word, at } }
    })
    const correction = this.#corrections.get(runId)
    if (correction === undefined) throw new Error(`${runId} was recorded and is not known`)
    return correction
  }

  #correction(runId: string, asked: CorrectedPrice, at: number): PriceCorrection {
    const { version, rates, from = 0, to = at } = asked
    const price = this.#lists.find(version)
    const isInForce = price !== undefined && this.#lists.isInForce(price, at)
    checkCorrection(asked, price, isInForce, at)
    return { runId, price: { version, ...rates }, from, to }
  }

  /** Requests that the correction is about can be accepted until then, by whichever gateway. */
  #lastAcceptedAt({ price, to }: PriceCorrection): number {
    const replacedAt = this.#lists.replacedAt(this.#known(price.version)) ?? to
    return Math.min(replacedAt, to) + this.#ports.limits.replacedPriceMs
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelRefresh()
    await this.#stream.settled()
  }

  async #publish(newPrice: NewPrice, isOnlyAsFirst = false) {
    const { clock, ids } = this.#ports
    const { idempotencyKey, actor = this.#ports.actor } = newPrice
    const version =
      idempotencyKey === undefined ? ids.next('price') : idOfIdempotencyKey('price', idempotencyKey)
    let created = false
    // Of two gateways that are asked with the same key at once, one loses the race for the head.
    if (idempotencyKey !== undefined) await this.#readNewest()
    await this.#record(version, actor, () => {
      const made = this.#lists.find(version)
      created = made === undefined && !(isOnlyAsFirst && this.#lists.size > 0)
      if (made !== undefined) checkSamePrice(made, newPrice)
      if (!created) return undefined
      const at = clock.nowMs()
      const { model, priceList, price } = this.#checked(newPrice, at, version)
      const effectiveFrom = startOf(newPrice.effectiveFrom, at)
      const query = { model, priceList, onBundledModel: true }
      newPrice.approve?.(this.#lists.replacedBy(query, effectiveFrom))
      return { type: 'PricePublished', data: { model, priceList, price, effectiveFrom, at } }
    })
    return { version, created }
  }

  #known(version: string): PublishedPrice {
    const price = this.#lists.find(version)
    if (price === undefined) throw new Error(`${version} was recorded and is not known`)
    return price
  }

  #checked(
    { model, priceList = DEFAULT_PRICE_LIST, rates, effectiveFrom }: NewPrice,
    at: number,
    version = '',
  ): { readonly model: string; readonly priceList: string; readonly price: PriceVersion } {
    const { input, cachedInput, output } = rates
    const price = { version, input, cachedInput, output }
    checkPrice({ model, priceList, price })
    checkSchedule(this.#lists, { model, priceList, effectiveFrom, at })
    return { model, priceList, price }
  }

  /** @param decide what happens; undefined: it has happened already */
  #record(
    version: string,
    actor: string,
    decide: () => PricingEvent | undefined | Promise<PricingEvent | undefined>,
  ): Promise<void> {
    if (this.#isClosed) return Promise.reject(serverStopping())
    const origin = { correlationId: version, causationId: version, actor }
    const appended = this.#stream.append(async () => {
      const event = await decide()
      if (event === undefined) return []
      return [encodeEvent(eventId(version, this.#stepOf(event)), event, origin)]
    })
    return appended.then(() => this.#keep())
  }

  /** Names the gateway too: when two append the same at once, each learns whether it was first. */
  #stepOf({ type }: PricingEvent): string {
    return `${type}@${this.#ports.actor}`
  }

  async #readNewest(): Promise<void> {
    try {
      await this.#stream.readNewest()
    } catch (cause) {
      throw isDamage(cause) ? recordsDamaged(cause) : storeUnavailable(cause)
    }
  }

  #take(event: NewEvent, revision: number): void {
    // What was kept is read again when the stream was repaired.
    if (revision < this.#events.length) return
    const { type, data } = decodeEvent(event) as PricingEvent
    this.#events.push(event)
    if (type === 'PriceWithdrawn') {
      this.#lists.withdraw(data.version, data.at)
      return
    }
    if (type === 'PriceCorrected') {
      this.#corrections.set(data.correction.runId, data.correction)
      return
    }
    const { model, priceList, price, effectiveFrom, at: publishedAt } = data
    const isDemo = isDemoPrice(price, { revision, actor: decodeMetadata(event).actor })
    const when = { effectiveFrom, publishedAt, withdrawnAt: null }
    this.#lists.add({ ...price, model, priceList, isDemo, ...when })
  }

  #planRefresh(): void {
    const { timer, limits } = this.#ports
    if (this.#isClosed) return
    this.#cancelRefresh = timer.after(limits.priceRefreshMs, () => {
      void this.lookAgain().then(() => this.#planRefresh())
    })
  }
}
