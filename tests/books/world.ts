/** What a history is played on: accounts of the service, each beside what it should be. */
import type { BooksService, Gateway } from './books-service.ts'
import type { ReferenceAccount } from './reference-account.ts'
import type { PriceRun, Rates } from './reference-request.ts'
import type { History } from './steps.ts'

/** The service is not what it should be. */
export class Difference extends Error {
  override readonly name = 'Difference'
}

export interface Price {
  readonly version: string
  readonly list: string
  readonly rates: Rates
  readonly from: number
  withdrawn: boolean
}

export interface Pair {
  readonly accountId: string
  readonly keyId: string
  model: ReferenceAccount
}

export class World {
  readonly service: BooksService
  readonly history: History
  /** A price list of its own. */
  readonly list: string
  readonly pairs: Pair[] = []
  readonly prices: Price[]
  /** Corrections of prices, by their idempotency key. */
  readonly runs = new Map<string, PriceRun>()
  /** What a run moved, paid and promotional, by the run and the account. */
  readonly runAmounts = new Map<string, readonly [bigint, bigint]>()

  /** @param base the price of the list `default` */
  constructor(service: BooksService, history: History, list: string, base: Price) {
    this.service = service
    this.history = history
    this.list = list
    this.prices = [base]
  }

  get now(): number {
    return this.service.clock.nowMs()
  }

  gateway(index: number): Gateway {
    const gateway = this.service.gateways[index]
    if (gateway === undefined) throw new Error(`there is no gateway ${index}`)
    return gateway
  }

  /** The price of the list that took effect last. */
  inForce(list: string): Price | undefined {
    let found: Price | undefined
    for (const price of this.prices) {
      if (price.list !== list || price.withdrawn || price.from > this.now) continue
      if (found === undefined || price.from >= found.from) found = price
    }
    return found
  }

  priceFor({ list }: ReferenceAccount): Price | null {
    return this.inForce(list) ?? this.inForce('default') ?? null
  }
}

export function same(what: string, is: unknown, should: unknown): void {
  const [one, other] = [is, should].map(
    (value) =>
      JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each)) ?? '-',
  )
  if (one !== other) throw new Difference(`${what}:\n    is ${one}\nshould ${other}`)
}
