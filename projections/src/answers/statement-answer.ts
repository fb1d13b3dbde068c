/** Entries of a statement as they are shown, and a page of them for the account itself. */
import { cursorNumber, cursorText } from '@svc/contracts/cursor'
import { formatExact } from '@svc/contracts/money'
import type {
  StatementAnswer,
  StatementEntry,
  StatementQueryFields,
} from '@svc/contracts/wire/statement'
import type { StatementRow } from '../views/rows/statement-rows.ts'
import type { Views } from '../views/views.ts'
import { isOver, readPeriod } from './asked-period.ts'

export function statementEntryOf(row: StatementRow): StatementEntry {
  const { key, tokens, event } = row
  return {
    entry: row.entry,
    at: new Date(row.at).toISOString(),
    type: row.type,
    reference: row.reference,
    payment_reference: row.paymentReference,
    description: row.description,
    debit: formatExact(row.debit),
    credit: formatExact(row.credit),
    balance: formatExact(row.balance),
    key: key && { id: key.keyId, name: key.name },
    model: row.model,
    format: row.format,
    tokens: tokens && {
      input: tokens.inputTokens,
      cached_input: tokens.cachedInputTokens,
      output: tokens.outputTokens,
    },
    price_version: row.priceVersion,
    paid: formatExact(row.paid),
    promotional: formatExact(row.promotional),
    unpaid: formatExact(row.unpaid),
    actor: row.actor,
    reason: row.reason,
    event: { stream: event.stream, revision: event.revision, hash: event.hash },
  }
}

/** @throws {ServiceError} `invalid_value` that names the field */
export function statementPage(
  views: Pick<Views, 'statement'>,
  accountId: string,
  { cursor, limit, ...asked }: StatementQueryFields,
  nowMs: number,
): StatementAnswer {
  const list = ['statement', accountId, asked]
  const after =
    cursor === undefined ? undefined : cursorNumber(list, cursor, Number.MAX_SAFE_INTEGER)
  const period = readPeriod(asked)
  const query = { accountId, limit, ...period, order: asked.order, after }
  const { opening, closing, rows, more } = views.statement(query)
  const last = rows.at(-1)
  return {
    object: 'statement',
    currency: 'USD',
    opening: formatExact(opening),
    closing: formatExact(closing),
    over: isOver(period, nowMs),
    data: rows.map(ownEntryOf),
    has_more: more,
    next_cursor: more && last !== undefined ? cursorText(list, `${last.entry}`) : null,
  }
}

/** Makes the customer's entry, which does not tell who of the operator's people it was. */
function ownEntryOf(row: StatementRow): StatementAnswer['data'][number] {
  const { actor: _, ...entry } = statementEntryOf(row)
  return entry
}
