/** Shows what the ledger and the views hold as operators see it: exact dollars, RFC 3339 times. */

import type {
  AccountDetails,
  AccountSummary,
  GrantDetails,
  KeyDetails,
} from '@svc/contracts/admin/accounts'
import type { ShownMovement } from '@svc/contracts/admin/corrections'
import type { ListedGrant, ListedHold } from '@svc/contracts/admin/credit'
import type { LoggedEvent } from '@svc/contracts/admin/events'
import type { PriceDetails } from '@svc/contracts/admin/prices'
import type { ProjectionState } from '@svc/contracts/admin/projections'
import type { QuarantinedStream } from '@svc/contracts/admin/verification'
import { accountOfStream } from '@svc/contracts/events/account'
import { formatExact, formatPricePerMillion } from '@svc/contracts/money'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { StreamDamage } from '@svc/contracts/ports/quarantine'
import type { Movement } from '@svc/ledger/administration'
import type { GrantSummary, KeySummary, AccountSummary as LedgerAccount } from '@svc/ledger/ledger'
import type { ProjectionStatus } from '@svc/projections/projection-status'
import type { AccountRow, GrantRow, HoldRow, KeyUsage, PriceRow } from '@svc/projections/views'
import { optionalTimeText, timeText } from './rfc3339-times.ts'

type KeyUse = Pick<KeyUsage, 'createdBy' | 'lastUsedAt' | 'amount'>

export function accountSummary(row: AccountRow): AccountSummary {
  return {
    account_id: row.accountId,
    name: row.name,
    external_id: row.externalId,
    metadata: row.metadata,
    status: row.status,
    spend_policy: row.spendPolicy,
    settled: formatExact(row.settled),
    held: formatExact(row.held),
    available: formatExact(row.settled - row.held),
    open_requests: row.openRequests,
    opened_at: timeText(row.openedAt),
    last_activity_at: timeText(row.lastActivityAt),
  }
}

/**
 * Balance, keys and grants are the ledger's; the views add only when things happened
 * and what the keys were used for.
 *
 * @param nowMs the moment of which the status of the keys is
 */
export function accountDetailsOf(
  row: AccountRow,
  account: LedgerAccount,
  useOf: (keyId: string) => KeyUse | undefined,
  nowMs: number,
): AccountDetails {
  const { keys, grants, balance, openRequests, spendPolicy, priceList, name, status } = account
  return {
    ...accountSummary({ ...row, ...balance, openRequests, spendPolicy, name, status }),
    price_list: priceList,
    keys: keys.map((key) => keyDetails(key, useOf(key.keyId), nowMs)),
    grants: grants.map(grantDetails),
  }
}

/** @param use of the key; undefined for one that was never used */
export function keyDetails(key: KeySummary, use: KeyUse | undefined, nowMs: number): KeyDetails {
  return {
    key_id: key.keyId,
    name: key.name,
    external_id: key.externalId,
    last_four: key.lastFour,
    status: secretStatus(key, nowMs),
    created_at: timeText(key.createdAt),
    created_by: use?.createdBy ?? null,
    expires_at: optionalTimeText(key.expiresAt),
    revoked_at: optionalTimeText(key.revokedAt),
    last_used_at: optionalTimeText(use?.lastUsedAt ?? null),
    spent: formatExact(use?.amount ?? 0n),
  }
}

/** The status of an API key or of an admin token. */
export function secretStatus(
  { revokedAt, expiresAt }: Pick<KeySummary, 'revokedAt' | 'expiresAt'>,
  nowMs: number,
): KeyDetails['status'] {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= nowMs ? 'expired' : 'active'
}

/** A balance that was moved; or would be, in a dry run. */
export function shownMovement(
  { id, created, amount, balanceBefore, balanceAfter }: Movement,
  dryRun: boolean,
): ShownMovement {
  return {
    id,
    created: created && !dryRun,
    dry_run: dryRun,
    amount: formatExact(amount),
    balance_before: balanceBefore === null ? null : formatExact(balanceBefore),
    balance_after: formatExact(balanceAfter),
  }
}

function grantDetails(grant: GrantSummary): GrantDetails {
  return {
    grant_id: grant.grantId,
    amount: formatExact(grant.amount),
    remaining: formatExact(grant.remaining),
    category: grant.category,
    priority: grant.priority,
    expires_at: optionalTimeText(grant.expiresAt),
    granted_at: timeText(grant.grantedAt),
    voided_at: optionalTimeText(grant.voidedAt),
  }
}

export function listedGrant(grant: GrantRow, nowMs: number): ListedGrant {
  return {
    ...grantDetails(grant),
    account_id: grant.accountId,
    status: grantStatus(grant, nowMs),
  }
}

function grantStatus(
  { voidedAt, remaining, expiresAt }: GrantRow,
  nowMs: number,
): ListedGrant['status'] {
  if (voidedAt !== null) return 'voided'
  if (expiresAt !== null && expiresAt <= nowMs) return 'expired'
  return remaining === 0n ? 'spent' : 'open'
}

export function listedHold({ requestId, accountId, hold, since, deadline }: HoldRow): ListedHold {
  return {
    request_id: requestId,
    account_id: accountId,
    held: formatExact(hold),
    held_since: timeText(since),
    deadline: timeText(deadline),
  }
}

/** @param price of the ledger, or of a view */
export function priceDetails(price: PriceRow): PriceDetails {
  return {
    version: price.version,
    model: price.model,
    price_list: price.priceList,
    demo: price.isDemo,
    input: formatPricePerMillion(price.input),
    cached_input: formatPricePerMillion(price.cachedInput),
    output: formatPricePerMillion(price.output),
    effective_from: timeText(price.effectiveFrom),
    published_at: timeText(price.publishedAt),
    withdrawn_at: optionalTimeText(price.withdrawnAt),
  }
}

export function projectionState(status: ProjectionStatus): ProjectionState {
  const { name, version, state, position, head, error } = status
  return { name, version, state, position: `${position}`, head: `${head}`, error }
}

export function loggedEvent(event: RecordedEvent): LoggedEvent {
  const { position, stream, revision, type, id, hash, data, metadata } = event
  return {
    position: `${position}`,
    stream,
    revision,
    type,
    id,
    hash,
    data: parsed(data),
    metadata: parsed(metadata),
  }
}

/** Parses JSON. Somebody else may have written what is none: it is shown as the text that it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function quarantinedStream({ stream, revision, cause }: StreamDamage): QuarantinedStream {
  return { stream, account_id: accountOfStream(stream) ?? null, revision, cause }
}
