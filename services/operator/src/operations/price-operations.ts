/** Prices, and which of them an account pays. */
import type { Caller } from '@svc/contracts/admin/caller'
import type { OperationHandlers, OperationInput } from '@svc/contracts/admin/operations'
import { ServiceError } from '@svc/contracts/errors'
import { formatPricePerMillion } from '@svc/contracts/money'
import { DEFAULT_PRICE_LIST } from '@svc/contracts/price'
import { MODEL, resolveModel } from '@svc/contracts/wire/models'
import type { NewPrice, PublishedPrice } from '@svc/ledger/ledger'
import { workerSummaries } from '../workers/worker-summary.ts'
import { type OperationPorts, viewsCurrent } from './ports.ts'
import { priceDetails } from './values/details.ts'
import { checkAccountId, readPrice } from './values/input-values.ts'
import { priceDoubts } from './values/price-doubts.ts'
import { optionalTimeText, readOptionalTime, timeText } from './values/rfc3339-times.ts'

export function priceOperations(
  ports: OperationPorts,
  { actor }: Caller,
): Pick<
  OperationHandlers,
  'publishPrice' | 'previewPrice' | 'withdrawPrice' | 'setPriceList' | 'listPrices'
> {
  const { ledger, clock, projections } = ports
  return {
    async publishPrice({ confirm = false, replaces, idempotency_key: idempotencyKey, ...input }) {
      const price = newPrice(input)
      const approve = (replaced: PublishedPrice | null) => {
        const isOther = replaces !== undefined && replaces !== (replaced?.version ?? null)
        if (isOther) throw reviewedBesideAnother(replaced)
        const doubts = doubtsAbout(replaced, price)
        if (doubts.length > 0 && !confirm) throw unconfirmed(doubts)
      }
      const made = await ledger.pricing.publish({ ...price, idempotencyKey, approve, actor })
      return { ...priceDetails(made.price), created: made.created }
    },
    async previewPrice(input) {
      const price = newPrice(input)
      const { model, priceList = DEFAULT_PRICE_LIST, rates, effectiveFrom } = price
      const { replaced, replacedBy } = await ledger.pricing.preview(price)
      const nowMs = clock.nowMs()
      return {
        model,
        price_list: priceList,
        input: formatPricePerMillion(rates.input),
        cached_input: formatPricePerMillion(rates.cachedInput),
        output: formatPricePerMillion(rates.output),
        effective_from: timeText(Math.max(effectiveFrom ?? nowMs, nowMs)),
        replaces: replaced && priceDetails(replaced),
        replaced_by: replacedBy && priceDetails(replacedBy),
        doubts: doubtsAbout(replaced, price),
      }
    },
    async withdrawPrice({ version, reason }) {
      const { price, alreadyWithdrawn } = await ledger.pricing.withdraw({ version, reason, actor })
      return { ...priceDetails(price), already_withdrawn: alreadyWithdrawn }
    },
    async setPriceList({ account_id: accountId, price_list: priceList }) {
      checkAccountId(accountId)
      const changed = await ledger.administration.setPriceList(accountId, { priceList, actor })
      const startsAt = ledger.pricing.startOf(priceList, servesBundledModel(ports))
      return {
        account_id: accountId,
        price_list: priceList,
        changed,
        starts_at: optionalTimeText(startsAt),
      }
    },
    // The answer has prices too that another gateway has just published.
    async listPrices() {
      await viewsCurrent(ports, 'accounts')
      return projections.views.prices().map(priceDetails)
    },
  }
}

/** Which model is served, only a running server knows; until then the demo price counts. */
function servesBundledModel(ports: OperationPorts): boolean {
  return ports.fleet === undefined || workerSummaries(ports).some(({ toy }) => toy)
}

function newPrice({
  model,
  price_list: priceList,
  effective_from: effectiveFrom,
  ...rates
}: OperationInput<'previewPrice'>): NewPrice {
  const from = readOptionalTime(effectiveFrom, 'effective_from')
  return {
    model: readModel(model),
    priceList,
    rates: {
      input: readPrice(rates.input, 'input'),
      cachedInput: readPrice(rates.cached_input, 'cached_input'),
      output: readPrice(rates.output, 'output'),
    },
    ...(from === null ? {} : { effectiveFrom: from }),
  }
}

function readModel(name: string): string {
  const model = resolveModel(name)
  if (model !== undefined) return model
  const message = `model: there is no model "${name}": prices are of ${MODEL}`
  throw new ServiceError('invalid_value', message, { param: 'model' })
}

/** The price of the toy says nothing about what another should be. */
function doubtsAbout(replaced: PublishedPrice | null, { rates }: NewPrice): readonly string[] {
  return priceDoubts(replaced?.isDemo ? null : replaced, rates)
}

function unconfirmed(doubts: readonly string[]): ServiceError {
  const message = `${doubts.join('; ')}. Nothing was published: confirm it, if it is meant so.`
  return new ServiceError('confirmation_required', message, { param: 'confirm' })
}

function reviewedBesideAnother(replaced: PublishedPrice | null): ServiceError {
  const instead = replaced === null ? 'none any more' : `now ${replaced.version}`
  const message = `The price that it replaces has changed since the review: it is ${instead}. Nothing was published: review it again.`
  return new ServiceError('conflict', message, { param: 'replaces' })
}
