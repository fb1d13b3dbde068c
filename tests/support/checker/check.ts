/**
 * The offline checker: what clients were told, held against every event of the log.
 *
 * It is a second opinion, so it shares no arithmetic with the product: of the product it imports
 * the shapes of events and nothing else. What must hold, in any log and at every moment of it:
 *
 *     I1  conservation: balances are grants less debits and expiries, to the last digit
 *     I2  every debit is the metered tokens at the pinned price
 *     I3  exactly one debit for each metered request, and none for any other
 *     I4  a request is accepted, then metered, then debited, then ended
 *     I5  every request ends, once
 *     I6  what a client was told is what was debited
 *     I8  no overdraft: available credit never falls below zero but by the one under-held request
 *     I9  no hold is left when nothing runs
 *     I11 every chain of hashes holds
 *     I12 revisions have no gaps and positions increase
 */

import { accountOfStream, isAccountEvent } from '@svc/contracts/events/account'
import { decodeEvent } from '@svc/contracts/events/codec'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import { AccountAudit } from './account-audit.ts'
import { chainViolations } from './chain.ts'
import { type ClientAnswer, historyViolations } from './history.ts'
import { PriceList } from './price-list.ts'
import type { Violation } from './violation.ts'

/**
 * @param history what each client was told, in any order
 * @param events all events of the log, in order of position, read when nothing runs any more
 * @returns every breach that was found; empty when all invariants hold
 */
export function check(
  history: readonly ClientAnswer[],
  events: readonly RecordedEvent[],
): readonly Violation[] {
  const violations: Violation[] = [...chainViolations(events)]
  const prices = new PriceList()
  const accounts = new Map<string, AccountAudit>()
  for (const recorded of events) {
    const event = decodeEvent(recorded)
    if (event.type === 'PricePublished') {
      prices.add(event.data.price)
      continue
    }
    if (event.type === 'PriceWithdrawn') {
      prices.withdraw(event.data.version)
      continue
    }
    if (!isAccountEvent(event)) continue
    const account =
      accounts.get(recorded.stream) ?? new AccountAudit(recorded.stream, prices, violations)
    accounts.set(recorded.stream, account)
    account.take(event, recorded)
    if (accountOfStream(recorded.stream) === undefined) {
      violations.push({ invariant: 'I4', subject: recorded.stream, problem: `holds ${event.type}` })
    }
  }
  for (const account of accounts.values()) account.finish()
  const requests = new Map([...accounts.values()].flatMap(({ requests }) => [...requests]))
  return [...violations, ...historyViolations(history, requests)]
}
