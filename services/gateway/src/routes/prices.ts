/**
 * `GET /v1/prices`: what tokens cost now and what is announced. With a key, for the key's account;
 * without one, where prices are public, for whoever has no list of their own.
 */
import { formatPricePerMillion } from '@svc/contracts/money'
import { DEFAULT_PRICE_LIST } from '@svc/contracts/price'
import { MODEL } from '@svc/contracts/wire/models'
import type { ModelPrice, PriceList } from '@svc/contracts/wire/prices'
import type { Ledger, PublishedPrice } from '@svc/ledger/ledger'
import type { FastifyInstance } from 'fastify'
import type { Reads } from '../admission/reads.ts'
import type { WorkerPool } from '../routing/worker-pool.ts'

export interface PricePorts {
  readonly ledger: Pick<Ledger, 'pricing' | 'priceList'>
  readonly workers: Pick<WorkerPool, 'workers'>
  readonly reads: Pick<Reads, 'hooks' | 'openHooks'>
  /** Whether they are shown to those who have no key. Default: they are. */
  readonly publicPrices?: boolean | undefined
}

export function priceRoutes(ports: PricePorts) {
  const { ledger, reads, publicPrices = true } = ports
  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: publicPrices ? reads.openHooks : reads.hooks }
    app.get('/prices', options, async ({ caller }): Promise<PriceList> => {
      const list = caller === null ? DEFAULT_PRICE_LIST : await ledger.priceList(caller.accountId)
      const shown = shownPrices(ports, list)
      const data = [{ object: 'price', model: MODEL, ...shown } as const]
      return { object: 'list', currency: 'USD', per_tokens: 1_000_000, data }
    })
  }
}

export interface ShownPrices {
  readonly price: ModelPrice | null
  readonly next_price: ModelPrice | null
}

/** The prices of the callable model, for accounts on a list. */
export function shownPrices(
  {
    ledger,
    workers,
  }: Pick<PricePorts, 'workers'> & {
    readonly ledger: Pick<Ledger, 'pricing'>
  },
  priceList: string,
): ShownPrices {
  const onBundledModel = workers.workers.some(({ health }) => health?.toy === true)
  return {
    price: shown(ledger.pricing.current(MODEL, onBundledModel, priceList)),
    next_price: shown(ledger.pricing.next(MODEL, onBundledModel, priceList)),
  }
}

function shown(price: PublishedPrice | null): ModelPrice | null {
  if (price === null) return null
  return {
    version: price.version,
    input: formatPricePerMillion(price.input),
    cached_input: formatPricePerMillion(price.cachedInput),
    output: formatPricePerMillion(price.output),
    effective_from: new Date(price.effectiveFrom).toISOString(),
  }
}
