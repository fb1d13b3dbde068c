/** Goes through the whole log, and holds the events of every account against each other. */
import { type TrialBalance, zeroBalances } from '@svc/contracts/account-books'
import { accountOfStream, isAccountEvent } from '@svc/contracts/events/account'
import { checkedEvent, type DomainEvent } from '@svc/contracts/events/codec'
import {
  type EventStore,
  type Position,
  type RecordedEvent,
  START,
} from '@svc/contracts/ports/event-store'
import { inSteps, type Pace, stepSize } from '@svc/contracts/ports/pace'
import { bookAccounts } from '@svc/contracts/postings'
import { type DecodedBatch, type DecodedEvent, decodeBatch } from '@svc/projections/decode'
import { AccountReconciliation } from './account-reconciliation.ts'
import type { Findings } from './findings.ts'

const PAGE_EVENTS = 250
/** This many take about a millisecond. */
const STEP_EVENTS = 50
const STEP_ACCOUNTS = 250

export interface ReconciledLog {
  readonly events: number
  readonly accounts: number
  /** The position of the last event that was looked at. */
  readonly position: Position
  /**
   * The balance of all accounts together: the sum of all postings, zero when those of every event
   * are.
   */
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
  take({ recorded, events }: DecodedBatch, signal: AbortSignal): Promise<void> {
    let next = 0
    const take = (event: RecordedEvent): void => {
      const decoded = events[next]?.recorded === event ? events[next] : undefined
      if (decoded !== undefined) next += 1
      takeEvent(event, decoded, this.#accounts, this.#findings)
      this.#position = event.position
      this.#events += 1
    }
    return inSteps(this.#pace, recorded, STEP_EVENTS, take, signal)
  }

  /** Reads what it was not given of the log up to a position. @throws when the signal aborts */
  async readTo(
    until: Position,
    store: Pick<EventStore, 'readAll'>,
    signal: AbortSignal,
  ): Promise<void> {
    while (this.#position < until) {
      const asked = { after: this.#position, limit: stepSize(this.#pace, PAGE_EVENTS) }
      const page = await this.#pace.step(() => store.readAll(asked))
      const known = page.filter(({ position }) => position <= until)
      if (known.length === 0) return
      await this.take(await this.#pace.step(() => decodeBatch(known)), signal)
    }
  }

  /**
   * Is called behind the last event.
   *
   * @throws when the signal aborts
   */
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

/** @param decoded undefined for an event that cannot be read */
function takeEvent(
  recorded: RecordedEvent,
  decoded: DecodedEvent | undefined,
  accounts: Map<string, AccountReconciliation>,
  findings: Findings,
): void {
  const accountId = accountOfStream(recorded.stream)
  if (accountId === undefined) return
  const subject = `${recorded.stream} revision ${recorded.revision}`
  const event = checked(decoded)
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

/**
 * Checks an event, because whoever alters history may leave what is none. Gives undefined for that.
 */
function checked(decoded: DecodedEvent | undefined): DomainEvent | undefined {
  if (decoded === undefined) return undefined
  try {
    return checkedEvent(decoded.event.type, decoded.event.data)
  } catch {
    return undefined
  }
}
