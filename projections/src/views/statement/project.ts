/**
 * The statement of every account: one entry for every event that moves the settled balance.
 *
 * Entries are dense within an account, and the balance after an entry is stored on it as the ledger
 * wrote it: both are properties of the ledger's order, the same under any filter and page.
 */
import type { TokenCounts } from '@svc/contracts/tokens'
import type { DecodedEvent, StoredData } from '../../projection/decode.ts'
import { actorOf } from '../actor.ts'
import { negated } from '../movement.ts'
import type { NumberedTuples } from '../numbered-tuples.ts'
import type { StatementRow } from '../rows/statement-rows.ts'
import type { TouchedRows } from '../touched-rows.ts'

/** An entry on its way into the table, money as it is stored. */
export interface NewEntry
  extends Pick<
    StatementRow,
    'entry' | 'accountId' | 'at' | 'type' | 'reference' | 'paymentReference' | 'actor' | 'reason'
  > {
  /** The description; null for usage, which is described by its terms and tokens. */
  readonly description: string | null
  /** The number of the key, model, format and price version of usage. */
  readonly terms: number | null
  readonly tokens: TokenCounts | null
  /**
   * How much of the amount is promotional credit, and how much no credit covered; null: nothing.
   */
  readonly promotional: string | null
  readonly unpaid: string | null
  /** The number of the account's entry before this one; 0 for the first. */
  readonly above: number
  /** A credit above zero, a debit below. */
  readonly amount: string
  readonly balance: string
  readonly eventRevision: number
  readonly eventHash: string
}

/** Where an account's statement stands: its last entry. */
export interface StatementHead {
  readonly accountId: string
  /** Its number in the order of the log, over all accounts. */
  number: number
  /** Its number within the account. */
  entry: number
  at: number
}

export interface RunningRequest {
  readonly requestId: string
  /** The number of its key, model, format and price version. */
  readonly terms: number
}

/** A grant of promotional credit. */
export interface Gift {
  readonly grantId: string
}

export interface KeyName {
  readonly keyId: string
  name: string
}

export interface StatementRows {
  readonly heads: TouchedRows<StatementHead>
  readonly running: TouchedRows<RunningRequest>
  readonly keyNames: TouchedRows<KeyName>
  readonly gifts: TouchedRows<Gift>
  readonly terms: NumberedTuples
  /** @returns the entry's number in the order of the log */
  addEntry(entry: NewEntry): number
}

type Movement = Pick<NewEntry, 'type' | 'reference' | 'amount' | 'balance'> & Partial<NewEntry>

export function projectStatement(rows: StatementRows, decoded: DecodedEvent): void {
  const { event } = decoded
  switch (event.type) {
    case 'ApiKeyCreated':
      rows.keyNames.add(event.data.keyId, { keyId: event.data.keyId, name: event.data.name })
      break
    case 'RequestAccepted': {
      const { requestId, keyId, model, format, price } = event.data
      const terms = rows.terms.numberOf(keyId, model, format, price.version)
      rows.running.add(requestId, { requestId, terms })
      break
    }
    case 'RequestFailed':
    case 'RequestAbandoned':
      rows.running.remove(event.data.requestId)
      break
    case 'ApiKeyRenamed': {
      const keyName = rows.keyNames.change(event.data.keyId)
      keyName.name = event.data.name
      break
    }
    case 'CreditGranted':
      addEntry(rows, decoded, granted(rows, event.data))
      break
    case 'CreditExpired':
      addEntry(rows, decoded, expired(rows, event.data))
      break
    case 'CreditDebited':
      addEntry(rows, decoded, debited(rows, event.data))
      break
    case 'GrantVoided':
      addEntry(rows, decoded, voided(rows, event.data))
      break
    case 'CreditRefunded':
      addEntry(rows, decoded, refunded(rows, event.data))
      break
    case 'BalanceAdjusted':
      // A corrected price may cost one request more and another as much less.
      if (event.data.amount !== '0') addEntry(rows, decoded, adjusted(rows, event.data))
      break
    case 'AccountClosed':
      if (event.data.amount !== '0') {
        addEntry(rows, decoded, closed(rows, event.data, decoded.accountId))
      }
      break
    default:
      break
  }
}

function granted(rows: StatementRows, data: StoredData<'CreditGranted'>): Movement {
  const isGift = data.category === 'promotional'
  if (isGift) rows.gifts.add(data.grantId, { grantId: data.grantId })
  return {
    type: 'grant',
    reference: data.grantId,
    paymentReference: data.reference,
    description: `${data.category} credit: ${data.reason}`,
    reason: data.reason,
    promotional: isGift ? data.amount : null,
    amount: data.amount,
    balance: data.balanceAfter,
  }
}

function expired(rows: StatementRows, data: StoredData<'CreditExpired'>): Movement {
  return {
    type: 'expiry',
    reference: data.grantId,
    description: 'credit expired',
    promotional: promotionalOf(rows, [data]),
    amount: negated(data.amount),
    balance: data.balanceAfter,
  }
}

function debited(rows: StatementRows, data: StoredData<'CreditDebited'>): Movement {
  const request = rows.running.remove(data.requestId)
  if (request === undefined) throw new Error(`${data.requestId} was debited but never accepted`)
  const [input, cachedInput, output] = data.lines
  return {
    type: 'usage',
    reference: data.requestId,
    terms: request.terms,
    tokens: {
      inputTokens: input?.tokens ?? 0,
      cachedInputTokens: cachedInput?.tokens ?? 0,
      outputTokens: output?.tokens ?? 0,
    },
    promotional: promotionalOf(rows, data.slices),
    unpaid: nullIfZero(data.debt),
    amount: negated(data.amount),
    balance: data.balanceAfter,
  }
}

function voided(rows: StatementRows, data: StoredData<'GrantVoided'>): Movement {
  return {
    type: 'void',
    reference: data.grantId,
    paymentReference: data.reference,
    description: `grant voided: ${data.reason}`,
    reason: data.reason,
    promotional: promotionalOf(rows, data.slices),
    unpaid: nullIfZero(data.debt),
    amount: negated(data.amount),
    balance: data.balanceAfter,
  }
}

function refunded(rows: StatementRows, data: StoredData<'CreditRefunded'>): Movement {
  return {
    type: 'refund',
    reference: data.requestId,
    paymentReference: data.reference,
    description: `refund ${data.refundId}: ${data.reason}`,
    reason: data.reason,
    promotional: promotionalOf(rows, data.slices),
    unpaid: nullIfZero(data.paidDebt),
    amount: data.amount,
    balance: data.balanceAfter,
  }
}

function adjusted(rows: StatementRows, data: StoredData<'BalanceAdjusted'>): Movement {
  const version = data.correction?.price.version
  const what = version === undefined ? 'adjustment' : `price ${version} corrected`
  const isGift = data.category === 'promotional' && data.credit !== '0'
  if (isGift) rows.gifts.add(data.adjustmentId, { grantId: data.adjustmentId })
  return {
    type: 'adjustment',
    reference: data.adjustmentId,
    paymentReference: data.reference,
    description: `${what}: ${data.reason}`,
    reason: data.reason,
    promotional: isGift ? data.credit : promotionalOf(rows, data.slices),
    unpaid: nullIfZero(data.paidDebt) ?? nullIfZero(data.debt),
    amount: data.amount,
    balance: data.balanceAfter,
  }
}

function closed(
  rows: StatementRows,
  data: StoredData<'AccountClosed'>,
  accountId: string,
): Movement {
  return {
    type: 'closing',
    reference: accountId,
    paymentReference: data.reference,
    description: `account closed, balance ${data.remainder.replace('_', ' ')}: ${data.reason}`,
    reason: data.reason,
    promotional: promotionalOf(rows, data.slices),
    unpaid: nullIfZero(data.paidDebt),
    amount: data.amount,
    balance: data.balanceAfter,
  }
}

/** Sums the slices of grants that nobody paid for. */
function promotionalOf(
  { gifts }: StatementRows,
  slices: readonly { readonly grantId: string; readonly amount: string }[],
): string | null {
  const given = slices.filter(({ grantId }) => gifts.find(grantId) !== undefined)
  if (given.length <= 1) return given[0]?.amount ?? null
  return given.reduce((sum, { amount }) => sum + BigInt(amount), 0n).toString()
}

function nullIfZero(amount: string): string | null {
  return amount === '0' ? null : amount
}

/**
 * An entry's time is its event's, but never before that of the entry above: with times that never
 * go back, any period is one run of entries, and opening + rows = closing holds for it.
 */
function addEntry(rows: StatementRows, decoded: DecodedEvent, movement: Movement): void {
  const { recorded, event, accountId } = decoded
  const head = headOf(rows, accountId)
  head.entry += 1
  head.at = Math.max(head.at, event.data.at)
  head.number = rows.addEntry({
    above: head.number,
    entry: head.entry,
    accountId,
    at: head.at,
    paymentReference: null,
    description: null,
    terms: null,
    tokens: null,
    promotional: null,
    unpaid: null,
    reason: null,
    // Usage has no actor: it was asked for by the key that stands on it.
    actor: movement.type === 'usage' ? null : actorOf(recorded.metadata),
    ...movement,
    eventRevision: recorded.revision,
    eventHash: recorded.hash,
  })
}

function headOf(rows: StatementRows, accountId: string): StatementHead {
  if (rows.heads.find(accountId) === undefined) {
    rows.heads.add(accountId, { accountId, number: 0, entry: 0, at: 0 })
  }
  return rows.heads.change(accountId)
}
