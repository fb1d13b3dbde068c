import type { PriceVersion } from '@svc/contracts/price'

export interface PublishedPrice extends PriceVersion {
  readonly model: string
  readonly priceList: string
  /** The price that a first start published: for the bundled model alone. */
  readonly isDemo: boolean
  readonly effectiveFrom: number
  readonly publishedAt: number
  /** When it was withdrawn, before it ever took effect; else null. */
  readonly withdrawnAt: number | null
}

export interface PricePublication {
  readonly price: PublishedPrice
  /** False when the same idempotency key had published it before. */
  readonly created: boolean
}

export interface WithdrawnPrice {
  readonly price: PublishedPrice
  /** Whether it had been withdrawn before. */
  readonly alreadyWithdrawn: boolean
}
