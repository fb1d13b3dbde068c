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

export interface ReconciledLog {
  readonly events: number
  readonly accounts: number
  /** Of the last event that was looked at. */
  readonly position: Position
  /** Of all accounts together: the sum of all postings, zero when those of every event are. */
  readonly trialBalance: TrialBalance
}

/** Keeps the state of every account in memory, two kilobytes and more of each. */
export class LogReconciliation {
  readonly #pace: Pace
  readonly #findings: Findings
  readonly #accounts = new Map<string, AccountReconciliation>()
  #position = START
  #events = 0

  constructor(pace: Pace, findings: Findings) {
    this.#pace = pace
    this.#findings = findings
  }

  /** The events behind those before, in the order of the log. @throws when the signal aborts */
  take(batch: readonly RecordedEvent[], signal: AbortSignal): Promise<void> {
    const take = (recorded: RecordedEvent): void => {
      takeEvent(recorded, this.#accounts, this.#findings)
      this.#position = recorded.position
      this.#events += 1
    }
    return inSteps(this.#pace, batch, STEP_EVENTS, take, signal)
  }

  /** Reads what it was not given of the log up to a position. @throws when the signal aborts */
  async readTo(
    until: Position,
    store: Pick<EventStore, 'readAll'>,
    signal: AbortSignal,
  ): Promise<void> {
    while (this.#position < until) {
      const after = this.#position
      const page = await this.#pace.step(() => store.readAll({ after, limit: PAGE_EVENTS }))
      const known = page.filter(({ position }) => position <= until)
      if (known.length === 0) return
      await this.take(known, signal)
    }
  }

  /** Behind the last event. @throws when the signal aborts */
  async finish(signal: AbortSignal): Promise<ReconciledLog> {
    const trialBalance = zeroBalances()
    const close = (account: AccountReconciliation): void => {
      account.finish()
      for (const name of bookAccounts) trialBalance[name] += account.trialBalance[name]
    }
    await inSteps(this.#pace, this.#accounts.values(), STEP_ACCOUNTS, close, signal)
    const { size: accounts } = this.#accounts
    return { events: this.#events, accounts, position: this.#position, trialBalance }
  }
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
