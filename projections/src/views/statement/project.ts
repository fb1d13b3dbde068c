/**
 * The statement of every account: one entry for every event that moves the settled balance.
 *
 * Entries are dense within an account, and the balance after an entry is stored on it as the ledger
 * wrote it: both are properties of the ledger's order, the same under any filter and page.
 */
import type { DecodedEvent, StoredData } from '../../projection/decode.ts'
import { negated } from '../movement.ts'
import type { TouchedRows } from '../touched-rows.ts'
import type { StatementRow } from '../views.ts'

/** An entry on its way into the table, money as it is stored. */
export interface NewEntry
  extends Pick<
    StatementRow,
    'entry' | 'accountId' | 'at' | 'type' | 'reference' | 'paymentReference' | 'description'
  > {
  /** Number of the account's entry before this one; 0 for the first. */
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
  readonly keyId: string
  readonly model: string
}

export interface KeyName {
  readonly keyId: string
  name: string
}

export interface StatementRows {
  readonly heads: TouchedRows<StatementHead>
  readonly running: TouchedRows<RunningRequest>
  readonly keyNames: TouchedRows<KeyName>
  /** @returns the entry's number in the order of the log */
  addEntry(entry: NewEntry): number
}

type Movement = Pick<
  NewEntry,
  'type' | 'reference' | 'paymentReference' | 'description' | 'amount' | 'balance'
>

export function projectStatement(rows: StatementRows, decoded: DecodedEvent): void {
  const { event } = decoded
  switch (event.type) {
    case 'ApiKeyCreated':
      rows.keyNames.add(event.data.keyId, { keyId: event.data.keyId, name: event.data.name })
      break
    case 'RequestAccepted': {
      const { requestId, keyId, model } = event.data
      rows.running.add(requestId, { requestId, keyId, model })
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
    case 'GrantVoided':
      addEntry(rows, decoded, voided(event.data))
      break
    case 'CreditRefunded':
      addEntry(rows, decoded, refunded(event.data))
      break
    case 'BalanceAdjusted':
      addEntry(rows, decoded, adjusted(event.data))
      break
    case 'AccountClosed':
      if (event.data.amount !== '0') addEntry(rows, decoded, closed(event.data, decoded.accountId))
      break
    case 'CreditGranted':
      addEntry(rows, decoded, granted(event.data))
      break
    case 'CreditExpired':
      addEntry(rows, decoded, expired(event.data))
      break
    case 'CreditDebited':
      addEntry(rows, decoded, debited(rows, event.data))
      break
    default:
      break
  }
}

function granted(data: StoredData<'CreditGranted'>): Movement {
  return {
    type: 'grant',
    reference: data.grantId,
    paymentReference: data.reference,
    description: `${data.category} credit: ${data.reason}`,
    amount: data.amount,
    balance: data.balanceAfter,
  }
}

function expired(data: StoredData<'CreditExpired'>): Movement {
  return {
    type: 'expiry',
    reference: data.grantId,
    paymentReference: null,
    description: 'credit expired',
    amount: negated(data.amount),
    balance: data.balanceAfter,
  }
}

function debited(rows: StatementRows, data: StoredData<'CreditDebited'>): Movement {
  const request = rows.running.remove(data.requestId)
  if (request === undefined) throw new Error(`${data.requestId} was debited but never accepted`)
  const keyName = rows.keyNames.find(request.keyId)?.name ?? request.keyId
  return {
    type: 'usage',
    reference: data.requestId,
    paymentReference: null,
    description: `${request.model}, key ${keyName}: ${tokensText(data.lines)}`,
    amount: negated(data.amount),
    balance: data.balanceAfter,
  }
}

function voided(data: StoredData<'GrantVoided'>): Movement {
  return {
    type: 'void',
    reference: data.grantId,
    paymentReference: data.reference,
    description: `grant voided: ${data.reason}`,
    amount: negated(data.amount),
    balance: data.balanceAfter,
  }
}

function refunded(data: StoredData<'CreditRefunded'>): Movement {
  return {
    type: 'refund',
    reference: data.requestId,
    paymentReference: data.reference,
    description: `refund ${data.refundId}: ${data.reason}`,
    amount: data.amount,
    balance: data.balanceAfter,
  }
}

function adjusted(data: StoredData<'BalanceAdjusted'>): Movement {
  const version = data.correction?.price.version
  const what = version === undefined ? 'adjustment' : `price ${version} corrected`
  return {
    type: 'adjustment',
    reference: data.adjustmentId,
    paymentReference: data.reference,
    description: `${what}: ${data.reason}`,
    amount: data.amount,
    balance: data.balanceAfter,
  }
}

function closed(data: StoredData<'AccountClosed'>, accountId: string): Movement {
  return {
    type: 'closing',
    reference: accountId,
    paymentReference: data.reference,
    description: `account closed, balance ${data.remainder.replace('_', ' ')}: ${data.reason}`,
    amount: data.amount,
    balance: data.balanceAfter,
  }
}

/** The three classes are disjoint, so the numbers can be added up. */
function tokensText(lines: StoredData<'CreditDebited'>['lines']): string {
  const counts = lines.map((line) => `${line.tokens} ${line.class.replace('_', ' ')}`)
  return `${counts.join(' + ')} tokens`
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
