/**
 * The offline checker: what was seen from outside, held against every event of the log.
 *
 * It is a second opinion, so it shares no arithmetic with the product: of the product it imports
 * the shapes of events and nothing else. What must hold, in any log and at every moment of it:
 *
 *     I1  conservation: balances are grants less debits and expiries, to the last digit
 *     I2  every debit is the metered tokens at the pinned price, and no more than was computed
 *     I3  exactly one debit for each metered request, and none for any other
 *     I4  a request is accepted, then metered, then debited, then ended
 *     I5  every request ends, once
 *     I6  what a client was told is what was debited; what an operator was told is what was granted
 *     I8  no overdraft: available credit never falls below zero but by the one under-held request
 *     I9  no hold is left when nothing runs
 *     I11 every chain of hashes holds
 *     I12 revisions have no gaps and positions increase
 *     I13 the feed has every event of money, those of one account in their order
 *     I15 a balance that is read after an answer has that answer's debit in it
 *     I18 nothing is accepted with a key after its revocation
 *     I19 an Idempotency-Key gives one answer and one debit, and never two requests at once
 */

import { accountOfStream, isAccountEvent } from '@svc/contracts/events/account'
import { decodeEvent } from '@svc/contracts/events/codec'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import { AccountAudit } from './account-audit.ts'
import { chainViolations } from './chain.ts'
import { feedViolations } from './feed.ts'
import { type ClientAnswer, historyViolations } from './history.ts'
import { PriceList } from './price-list.ts'
import { type Sightings, sightingViolations } from './sightings.ts'
import type { Violation } from './violation.ts'

/**
 * @param history what each client was told, in any order
 * @param events all events of the log, in order of position, read when nothing runs any more
 * @param seen what else was seen; what is left out is not checked
 * @returns every breach that was found; empty when all invariants hold
 */
export function check(
  history: readonly ClientAnswer[],
  events: readonly RecordedEvent[],
  seen: Sightings = {},
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
  return [
    ...violations,
    ...historyViolations(history, requests),
    ...sightingViolations(seen, accounts, requests),
    ...(seen.feed === undefined ? [] : feedViolations(seen.feed, events)),
  ]
}
