/** What the ledger and the views hold, as lines for operators: exact dollars, RFC 3339 times. */

import type {
  AccountLine,
  EventLine,
  GrantLine,
  KeyLine,
  PriceLine,
  ProjectionLine,
  StatementLine,
} from '@svc/contracts/admin/operations'
import { formatExact, formatPricePerMillion } from '@svc/contracts/money'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { GrantSummary, KeySummary, PublishedPrice } from '@svc/ledger/ledger'
import type { AccountRow, ProjectionStatus, StatementRow } from '@svc/projections/views'
import { optionalTimeText, timeText } from './tell-times.ts'

export function accountLine(row: AccountRow): AccountLine {
  return {
    accountId: row.accountId,
    name: row.name,
    spendPolicy: row.spendPolicy,
    settled: formatExact(row.settled),
    held: formatExact(row.held),
    available: formatExact(row.settled - row.held),
    openRequests: row.openRequests,
    openedAt: timeText(row.openedAt),
    lastActivityAt: timeText(row.lastActivityAt),
  }
}

export function keyLine(key: KeySummary, nowMs: number): KeyLine {
  return {
    keyId: key.keyId,
    name: key.name,
    lastFour: key.lastFour,
    status: keyStatus(key, nowMs),
    createdAt: timeText(key.createdAt),
    expiresAt: optionalTimeText(key.expiresAt),
    revokedAt: optionalTimeText(key.revokedAt),
  }
}

function keyStatus({ revokedAt, expiresAt }: KeySummary, nowMs: number): KeyLine['status'] {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= nowMs ? 'expired' : 'active'
}

export function grantLine(grant: GrantSummary): GrantLine {
  return {
    grantId: grant.grantId,
    amount: formatExact(grant.amount),
    remaining: formatExact(grant.remaining),
    category: grant.category,
    priority: grant.priority,
    expiresAt: optionalTimeText(grant.expiresAt),
    grantedAt: timeText(grant.grantedAt),
  }
}

export function priceLine(price: PublishedPrice): PriceLine {
  return {
    version: price.version,
    model: price.model,
    demo: price.isDemo,
    input: formatPricePerMillion(price.input),
    cachedInput: formatPricePerMillion(price.cachedInput),
    output: formatPricePerMillion(price.output),
    effectiveFrom: timeText(price.effectiveFrom),
    publishedAt: timeText(price.publishedAt),
  }
}

export function statementLine(row: StatementRow): StatementLine {
  return {
    entry: row.entry,
    at: timeText(row.at),
    type: row.type,
    reference: row.reference,
    paymentReference: row.paymentReference,
    description: row.description,
    debit: formatExact(row.debit),
    credit: formatExact(row.credit),
    balance: formatExact(row.balance),
    event: { stream: row.event.stream, revision: row.event.revision, hash: row.event.hash },
  }
}

export function projectionLine(status: ProjectionStatus): ProjectionLine {
  const { name, version, state, position, head, error } = status
  return { name, version, state, position: `${position}`, head: `${head}`, error }
}

export function eventLine(event: RecordedEvent): EventLine {
  const { position, stream, revision, type, id, hash, data, metadata } = event
  return {
    position: `${position}`,
    stream,
    revision,
    type,
    id,
    hash,
    data: JSON.parse(data) as unknown,
    metadata: JSON.parse(metadata) as unknown,
  }
}
