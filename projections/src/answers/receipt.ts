/** A request's receipt: from its tokens to its price to the events that prove it. */
import { formatExact, formatPricePerMillion } from '@svc/contracts/money'
import type { Receipt } from '@svc/contracts/wire/billing'
import type { PriceRow } from '../views/rows/account-rows.ts'
import type { RequestRow } from '../views/rows/request-rows.ts'

type KnownPrices = readonly Pick<PriceRow, 'version' | 'effectiveFrom'>[]

/**
 * @param keyName as the key is called now; null when that is not known
 * @param prices that are known here: one that another process published a moment ago may not be
 */
export function receiptOf(row: RequestRow, keyName: string | null, prices: KnownPrices): Receipt {
  return {
    object: 'request',
    id: row.requestId,
    status: row.status,
    key_id: row.keyId,
    key_name: keyName,
    format: row.format,
    model: row.model,
    usage: {
      input_tokens: row.counts?.inputTokens ?? 0,
      cached_input_tokens: row.counts?.cachedInputTokens ?? 0,
      output_tokens: row.counts?.outputTokens ?? 0,
      reasoning_tokens: row.reasoningTokens,
    },
    price: priceOf(row, prices),
    lines: row.lines.map((line) => ({
      class: line.class,
      tokens: line.tokens,
      price: formatPricePerMillion(line.price),
      amount: formatExact(line.amount),
    })),
    amount: formatExact(row.amount),
    hold: formatExact(row.hold),
    balance_after: row.balanceAfter === null ? null : formatExact(row.balanceAfter),
    grants: row.slices.map(({ grantId, amount }) => ({
      grant_id: grantId,
      amount: formatExact(amount),
    })),
    refunded: formatExact(row.refunds.reduce((sum, { amount }) => sum + amount, 0n)),
    refunds: row.refunds.map(({ refundId, amount, reason, at }) => ({
      refund_id: refundId,
      amount: formatExact(amount),
      reason,
      at: new Date(at).toISOString(),
    })),
    finish_reason: row.finishReason,
    reason: row.reason,
    events: row.events.map(({ type, stream, revision, id, hash }) => ({
      type,
      stream,
      revision,
      id,
      hash,
    })),
    cache: row.cache && {
      schedule: row.cache.schedule,
      reused_tokens: row.cache.reusedTokens,
      blocks: row.cache.blocks,
      source: row.cache.source,
      last_block_hash: row.cache.lastBlockHash,
      evaluated_tokens: row.cache.evaluatedTokens,
      worker: row.cache.workerId,
    },
    timings: {
      accepted_at: new Date(row.acceptedAt).toISOString(),
      ended_at: row.endedAt === null ? null : new Date(row.endedAt).toISOString(),
      worker: row.latencies,
    },
  }
}

function priceOf({ price }: RequestRow, prices: KnownPrices): Receipt['price'] {
  const { version } = price
  const published = prices.find((each) => each.version === version)
  return {
    version,
    input: formatPricePerMillion(price.input),
    cached_input: formatPricePerMillion(price.cachedInput),
    output: formatPricePerMillion(price.output),
    effective_from:
      published === undefined ? null : new Date(published.effectiveFrom).toISOString(),
  }
}
