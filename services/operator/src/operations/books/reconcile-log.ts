/** Goes through the whole log, and holds the events of every account against each other. */
import { type TrialBalance, zeroBalances } from '@svc/contracts/account-books'
import { accountOfStream, isAccountEvent } from '@svc/contracts/events/account'
import { type DomainEvent, decodeEvent } from '@svc/contracts/events/codec'
import {
  type EventStore,
  type Position,
  type RecordedEvent,
  START,
} from '@svc/contracts/ports/event-store'
import { inSteps, type Pace } from '@svc/contracts/ports/pace'
import { bookAccounts } from '@svc/contracts/postings'
import { AccountReconciliation } from './account-reconciliation.ts'
import type { Findings } from './findings.ts'

const PAGE_EVENTS = 250
/** About a millisecond each. */
const STEP_EVENTS = 50
const STEP_ACCOUNTS = 250

export interface ReconcileLog {
  readonly store: Pick<EventStore, 'readAll'>
  readonly pace: Pace
  readonly signal: AbortSignal
  /** Position of the last event that is looked at. */
  readonly until: Position
  readonly findings: Findings
  /** Called after each page. */
  readonly onProgress: (events: number, position: Position) => void
}

export interface ReconciledLog {
  readonly events: number
  readonly accounts: number
  /** Of all accounts together: the sum of all postings, zero when those of every event are. */
  readonly trialBalance: TrialBalance
}

/**
 * Keeps the state of every account in memory, two kilobytes and more of each.
 *
 * @throws when the signal aborts
 */
export async function reconcileLog(request: ReconcileLog): Promise<ReconciledLog> {
  const { store, pace, signal, until, findings, onProgress } = request
  const accounts = new Map<string, AccountReconciliation>()
  let position = START
  let events = 0
  const take = (recorded: RecordedEvent): void => {
    takeEvent(recorded, accounts, findings)
    position = recorded.position
    events += 1
  }
  while (position < until) {
    const after = position
    const page = await pace.step(() => store.readAll({ after, limit: PAGE_EVENTS }))
    const known = page.filter((recorded) => recorded.position <= until)
    if (known.length === 0) break
    await inSteps(pace, known, STEP_EVENTS, take, signal)
    onProgress(events, position)
  }
  const trialBalance = zeroBalances()
  const close = (account: AccountReconciliation): void => {
    account.finish()
    for (const name of bookAccounts) trialBalance[name] += account.trialBalance[name]
  }
  await inSteps(pace, accounts.values(), STEP_ACCOUNTS, close, signal)
  return { events, accounts: accounts.size, trialBalance }
}

function takeEvent(
  recorded: RecordedEvent,
  accounts: Map<string, AccountReconciliation>,
  findings: Findings,
): void {
  const accountId = accountOfStream(recorded.stream)
  if (accountId === undefined) return
  const subject = `${recorded.stream} revision ${recorded.revision}`
  const event = decoded(recorded)
  if (event === undefined || !isAccountEvent(event)) {
    findings.add('balances', subject, `${recorded.type} is no event that can be read`, 0n)
    return
  }
  let account = accounts.get(accountId)
  if (account === undefined) {
    account = new AccountReconciliation(accountId, findings)
    accounts.set(accountId, account)
  }
  account.take(event, subject)
}

/** Whoever alters history may leave what is no event. */
function decoded(recorded: RecordedEvent): DomainEvent | undefined {
  try {
    return decodeEvent(recorded)
  } catch {
    return undefined
  }
}
