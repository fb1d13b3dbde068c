/** Events of the domain as they are recorded: with deterministic ids, and where they come from. */
import type { AccountCommand } from '@svc/contracts/commands'
import type { AccountEvent } from '@svc/contracts/events/account'
import { encodeEvent } from '@svc/contracts/events/codec'
import { eventId } from '@svc/contracts/ids'
import type { NewEvent } from '@svc/contracts/ports/event-store'

/** What can happen to the same subject again and again. */
const REPEATING: ReadonlySet<AccountEvent['type']> = new Set([
  'AccountRenamed',
  'SpendPolicySet',
  'PriceListSet',
  'TextsErased',
  'AccountFrozen',
  'AccountUnfrozen',
  'ApiKeyRenamed',
  'ApiKeyExpirySet',
  'CreditExpired',
  'CreditRefunded',
])

/**
 * @param accountId whose events they are
 * @param revision of the first of the events
 */
export function recordable(
  events: readonly AccountEvent[],
  command: AccountCommand,
  accountId: string,
  revision: number,
): NewEvent[] {
  let causationId = subjectOfCommand(command, accountId)
  return events.map((event, index) => {
    const subject = subjectOf(event, accountId)
    const id = eventId(subject, stepOf(event, revision + index))
    const origin = { correlationId: subject, causationId, actor: command.actor }
    causationId = id
    return encodeEvent(id, event, origin)
  })
}

/** The request, grant or key that an event belongs to; what concerns the whole account, its id. */
function subjectOf({ data }: AccountEvent, accountId: string): string {
  if ('requestId' in data) return data.requestId
  if ('grantId' in data) return data.grantId
  if ('keyId' in data) return data.keyId
  if ('adjustmentId' in data) return data.adjustmentId
  return accountId
}

function subjectOfCommand(command: AccountCommand, accountId: string): string {
  if ('requestId' in command) return command.requestId
  if ('grantId' in command) return command.grantId
  if ('keyId' in command) return command.keyId
  if ('adjustmentId' in command) return command.adjustmentId
  if ('correction' in command) return command.correction.runId
  return accountId
}

/** The revision distinguishes events that can happen more than once to the same subject. */
function stepOf({ type }: AccountEvent, revision: number): string {
  return REPEATING.has(type) ? `${type}@${revision}` : type
}
