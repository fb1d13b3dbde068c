/**
 * The published prices in memory: what a model costs on a list at a moment. Pure.
 *
 *     announced ──▶ in force ──▶ replaced by the next of its list
 *         └──────▶ withdrawn
 *
 * A list is what an operator agreed with some customers. Whoever's list has no price in force, and
 * whoever has no list of their own, pays what the default list says.
 */
import { DEFAULT_PRICE_LIST } from '@svc/contracts/price'
import type { PublishedPrice } from './published-price.ts'

export interface PriceQuery {
  readonly model: string
  readonly priceList: string
  /** Whether the bundled model runs it: only then the demo price counts. */
  readonly onBundledModel: boolean
}

export class PriceLists {
  /** Prices by version, in the order of publishing; withdrawn ones too. */
  readonly #all = new Map<string, PublishedPrice>()
  /**
   * Prices by list and model, in the order in which they take effect, without those that were
   * withdrawn.
   */
  readonly #schedules = new Map<string, PublishedPrice[]>()
  readonly #listNames = new Set<string>([DEFAULT_PRICE_LIST])

  get size(): number {
    return this.#all.size
  }

  /** Every version that was ever published, oldest first. */
  all(): readonly PublishedPrice[] {
    return [...this.#all.values()]
  }

  find(version: string): PublishedPrice | undefined {
    return this.#all.get(version)
  }

  add(price: PublishedPrice): void {
    this.#all.set(price.version, price)
    this.#listNames.add(price.priceList)
    const schedule = this.#schedule(price.priceList, price.model)
    schedule.push(price)
    // Stable: of two that take effect at once, the one published later counts.
    schedule.sort((a, b) => a.effectiveFrom - b.effectiveFrom)
    this.#schedules.set(keyOf(price.priceList, price.model), schedule)
  }

  withdraw(version: string, withdrawnAt: number): void {
    const price = this.#all.get(version)
    if (price === undefined) return
    this.#all.set(version, { ...price, withdrawnAt })
    const kept = this.#schedule(price.priceList, price.model).filter(
      (each) => each.version !== version,
    )
    this.#schedules.set(keyOf(price.priceList, price.model), kept)
  }

  /** Whether the list has a price, in force or announced. */
  isInUse(priceList: string): boolean {
    for (const { priceList: list, withdrawnAt } of this.#all.values()) {
      if (list === priceList && withdrawnAt === null) return true
    }
    return false
  }

  /** @returns undefined for a list of which nothing is known: nobody guesses what it says */
  inForce(query: PriceQuery, at: number): PublishedPrice | null | undefined {
    return this.#listNames.has(query.priceList) ? this.replacedBy(query, at) : undefined
  }

  /** What a price of the list would replace that takes effect at a moment; null: nothing. */
  replacedBy(query: PriceQuery, at: number): PublishedPrice | null {
    return this.#ownInForce(query, at) ?? this.#ownInForce(onDefaultList(query), at) ?? null
  }

  /** The announced price of the list itself that ends one that takes effect at a moment. */
  ending(priceList: string, model: string, at: number): PublishedPrice | null {
    return this.#ownNext({ priceList, model }, at) ?? null
  }

  /** The price that takes effect next for accounts on the list, or null: none is announced. */
  next(query: PriceQuery, at: number): PublishedPrice | null {
    const own = this.#ownNext(query, at)
    if (this.#ownInForce(query, at) !== undefined) return own ?? null
    const general = this.#ownNext(onDefaultList(query), at)
    if (own === undefined || general === undefined) return own ?? general ?? null
    return own.effectiveFrom <= general.effectiveFrom ? own : general
  }

  /** When the first price of a list takes effect; null: one is in force, or none is known. */
  startOf({ priceList, onBundledModel }: Omit<PriceQuery, 'model'>, at: number): number | null {
    let first: number | null = null
    for (const [key, prices] of this.#schedules) {
      const start = prices.find(({ isDemo }) => onBundledModel || !isDemo)?.effectiveFrom
      if (start === undefined || !key.startsWith(keyOf(priceList, ''))) continue
      if (first === null || start < first) first = start
    }
    return first !== null && first > at ? first : null
  }

  /** The price on the list itself that takes effect at exactly this moment. */
  startingAt(priceList: string, model: string, effectiveFrom: number): PublishedPrice | undefined {
    return this.#schedule(priceList, model).find((price) => price.effectiveFrom === effectiveFrom)
  }

  /** Whether a version still counts for somebody at a moment. */
  isInForce({ version, priceList, model }: PublishedPrice, at: number): boolean {
    return this.#ownInForce({ priceList, model, onBundledModel: true }, at)?.version === version
  }

  /** When the next one of its list takes the place of a version; undefined: none is known. */
  replacedAt({ version, priceList, model }: PublishedPrice): number | undefined {
    const schedule = this.#schedule(priceList, model)
    const index = schedule.findIndex((price) => price.version === version)
    return schedule[index + 1]?.effectiveFrom
  }

  #ownInForce({ priceList, model, onBundledModel }: PriceQuery, at: number) {
    return this.#schedule(priceList, model).findLast(
      ({ effectiveFrom, isDemo }) => effectiveFrom <= at && (onBundledModel || !isDemo),
    )
  }

  #ownNext({ priceList, model }: Omit<PriceQuery, 'onBundledModel'>, at: number) {
    return this.#schedule(priceList, model).find(({ effectiveFrom }) => effectiveFrom > at)
  }

  #schedule(priceList: string, model: string): PublishedPrice[] {
    return this.#schedules.get(keyOf(priceList, model)) ?? []
  }
}

function onDefaultList(query: PriceQuery): PriceQuery {
  return { ...query, priceList: DEFAULT_PRICE_LIST }
}

/** The name of a list holds no slash. */
function keyOf(priceList: string, model: string): string {
  return `${priceList}/${model}`
}
