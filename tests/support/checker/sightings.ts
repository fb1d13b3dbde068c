import { accountStream } from '@svc/contracts/events/account'
import type { ReceivedRecord } from '@svc/contracts/ports/bus'
import type { TokenCounts } from '@svc/contracts/tokens'
import type { AccountAudit } from './account-audit.ts'
import type { RequestAudit } from './request-audit.ts'
import type { Violation } from './violation.ts'

/** What was seen of the service beside the answers to requests. */
export interface Sightings {
  /** All records of the feed's topic, read when it had caught up with the log. */
  readonly feed?: readonly ReceivedRecord[]
  readonly payments?: readonly Payment[]
  readonly balances?: readonly SeenBalance[]
  /** Ids of keys whose revocation was acknowledged, and of which account they are. */
  readonly revocations?: readonly { readonly accountId: string; readonly keyId: string }[]
  /** By request, what workers have computed for it, in their own books. */
  readonly computed?: ReadonlyMap<string, TokenCounts>
}

/** A payment that was asked to be granted, by however many deliveries and retries. */
export interface Payment {
  readonly accountId: string
  /** Of no other grant of this account: the payment is known by it. */
  readonly amount: bigint
  /** Whether it must have been granted by now; else it may, once. */
  readonly isDue: boolean
}

export interface SeenBalance {
  readonly accountId: string
  readonly settled: bigint
  readonly held: bigint
  /** Requests of the account whose end a client had been told before the reading began. */
  readonly after: readonly string[]
}

/** @param accounts by their stream */
export function sightingViolations(
  { payments = [], balances = [], revocations = [], computed }: Sightings,
  accounts: ReadonlyMap<string, AccountAudit>,
  requests: ReadonlyMap<string, RequestAudit>,
): readonly Violation[] {
  const accountOf = (accountId: string) => accounts.get(accountStream(accountId))
  return [
    ...payments.flatMap((payment) => paymentProblem(payment, accountOf(payment.accountId))),
    ...balances.flatMap((seen) => balanceProblem(seen, accountOf(seen.accountId), requests)),
    ...revocations
      .filter(({ accountId, keyId }) => accountOf(accountId)?.revokedKeys.has(keyId) !== true)
      .map(({ keyId }) => violation('I18', keyId, 'was told revoked, and is not')),
    ...(computed === undefined ? [] : computedProblems(computed, requests)),
  ]
}

function paymentProblem(
  { accountId, amount, isDue }: Payment,
  account: AccountAudit | undefined,
): readonly Violation[] {
  const times = account?.granted.filter((granted) => granted === amount).length ?? 0
  if (times > 1) return [violation('I19', accountId, `is granted a payment ${times} times`)]
  return isDue && times === 0 ? [violation('I6', accountId, 'lacks a payment')] : []
}

function balanceProblem(
  { accountId, settled, held, after }: SeenBalance,
  account: AccountAudit | undefined,
  requests: ReadonlyMap<string, RequestAudit>,
): readonly Violation[] {
  const revisions = after.map((requestId) => requests.get(requestId)?.debitRevision ?? -1)
  const newest = Math.max(-1, ...revisions)
  const isKnown = account?.balances.some(
    (balance) => balance.revision >= newest && balance.settled === settled && balance.held === held,
  )
  if (isKnown === true) return []
  const problem = `was shown ${settled} with ${held} held, as it was at no time since ${newest}`
  return [violation('I15', accountId, problem)]
}

/** A worker that was not asked has computed nothing. */
function computedProblems(
  computed: ReadonlyMap<string, TokenCounts>,
  requests: ReadonlyMap<string, RequestAudit>,
): readonly Violation[] {
  return [...requests].flatMap(([requestId, { meter }]) => {
    if (meter === undefined) return []
    const made = computed.get(requestId)
    const prompt = (made?.inputTokens ?? 0) + (made?.cachedInputTokens ?? 0)
    const isCovered =
      meter.inputTokens + meter.cachedInputTokens <= prompt &&
      meter.outputTokens <= (made?.outputTokens ?? 0)
    return isCovered ? [] : [violation('I2', requestId, 'is metered for more than was computed')]
  })
}

function violation(invariant: Violation['invariant'], subject: string, problem: string): Violation {
  return { invariant, subject, problem }
}
