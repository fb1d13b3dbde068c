import type { PriceVersion } from '@svc/contracts/price'

/** The prices that were published so far, and not withdrawn. */
export class PriceList {
  readonly #published = new Map<string, PriceVersion>()

  add(price: PriceVersion): void {
    this.#published.set(price.version, price)
  }

  /** It had not taken effect: no request may be pinned to it from here on. */
  withdraw(version: string): void {
    this.#published.delete(version)
  }

  /** Whether a pinned price is one of the published versions, unchanged. */
  has(pinned: PriceVersion): boolean {
    const published = this.#published.get(pinned.version)
    return (
      published !== undefined &&
      published.input === pinned.input &&
      published.cachedInput === pinned.cachedInput &&
      published.output === pinned.output
    )
  }
}
