/**
 * After every restart: the whole log, read from the server, held against what the clients were
 * told.
 */

import type { LoggedEvent } from '@svc/contracts/admin/events'
import type { Operations } from '@svc/contracts/admin/operations'
import { decodeEvent } from '@svc/contracts/events/codec'
import { formatExact, type PicoDollars } from '@svc/contracts/money'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import { check } from '@svc/testing/checker/check'
import type { ClientAnswer } from '@svc/testing/checker/history'
import type { Sightings } from '@svc/testing/checker/sightings'
import { verified } from '@svc/testing/verified'
import type { ToldAnswer } from './load.ts'

const PAGE = 1_000
const SWEPT_WITHIN_MS = 30_000
const LOOK_AGAIN_MS = 25
/** A log that still grows by then is not at rest, and that is wrong as well. */
const LOOKS_MAX = 5

/** Reads the log on from where it was left, and keeps it. */
export class Audit {
  readonly #events: RecordedEvent[] = []

  get events(): number {
    return this.#events.length
  }

  /**
   * What seems wrong while a late request still books is looked at again when it has booked.
   *
   * @param see looks at what else can be seen of the service at this moment
   * @returns what is wrong, a line each; empty when the books are in order
   */
  async check(
    operations: Operations,
    history: readonly ClientAnswer[],
    see: () => Promise<Sightings> = async () => ({}),
  ): Promise<string[]> {
    for (let looks = 1; ; looks += 1) {
      const problems = await this.#look(operations, history, see)
      const booked = this.#bookings
      await this.#readOn(operations)
      if (problems.length === 0 || this.#bookings === booked || looks === LOOKS_MAX) return problems
    }
  }

  /** Questions of auditors are events too, and book nothing. */
  get #bookings(): number {
    return this.#events.filter(({ stream }) => stream.startsWith('account-')).length
  }

  async #look(
    operations: Operations,
    history: readonly ClientAnswer[],
    see: () => Promise<Sightings>,
  ): Promise<string[]> {
    const orphans = await waitUntilSwept(operations)
    if (orphans > 0) return [`${orphans} requests are still open after ${SWEPT_WITHIN_MS} ms`]
    const seen = await see()
    await this.#readOn(operations)
    const violations = check(history, this.#events, seen).map(
      ({ invariant, subject, problem }) => `${invariant} ${subject} ${problem}`,
    )
    const { broken } = await verified(operations)
    const chains = broken.map(({ stream, revision }) => `${stream} is broken at ${revision}`)
    return [...violations, ...chains, ...(await this.#balanceProblems(operations))]
  }

  async #readOn(operations: Operations): Promise<void> {
    for (;;) {
      const after = this.#events.at(-1)?.position
      const { events, next } = await operations.listEvents({
        limit: PAGE,
        ...(after === undefined ? {} : { after: after.toString() }),
      })
      this.#events.push(...events.map(recorded))
      if (next === null) return
    }
  }

  /** The ledger's balances and the view's, against those that a full replay gives. */
  async #balanceProblems(operations: Operations): Promise<string[]> {
    const problems: string[] = []
    const replayed = replayBalances(this.#events)
    const rows = await operations.listAccounts({ limit: PAGE })
    if (rows.length !== replayed.size) problems.push(`${rows.length} accounts in the view`)
    for (const row of rows) {
      const account = await operations.showAccount({ account_id: row.account_id })
      const expected = formatExact(replayed.get(row.account_id) ?? 0n)
      if (row.settled !== expected) problems.push(`view: ${row.settled} instead of ${expected}`)
      if (account.settled !== expected) {
        problems.push(`ledger: ${account.settled} instead of ${expected} on ${row.account_id}`)
      }
      if (row.held !== '0.00' || account.held !== '0.00') {
        problems.push(`${row.account_id} still holds ${account.held} (view: ${row.held})`)
      }
    }
    return problems
  }
}

/** Grants less debits and expiries, added up anew: no balance that an event claims is believed. */
function replayBalances(events: readonly RecordedEvent[]): Map<string, PicoDollars> {
  const balances = new Map<string, PicoDollars>()
  for (const recordedEvent of events) {
    const { type, data } = decodeEvent(recordedEvent)
    const account = recordedEvent.stream.replace('account-', '')
    const add = (amount: PicoDollars) =>
      balances.set(account, (balances.get(account) ?? 0n) + amount)
    if (type === 'AccountOpened') add(0n)
    else if (type === 'CreditGranted') add(data.amount)
    else if (type === 'CreditDebited' || type === 'CreditExpired') add(-data.amount)
  }
  return balances
}

/** A view that is behind the log knows of fewer requests: so it is waited for first. */
async function waitUntilSwept(operations: Operations): Promise<number> {
  const start = performance.now()
  for (;;) {
    const { open_requests: openRequests, projections } = await operations.status()
    const isCurrent = projections.every(({ position, head }) => position === head)
    const isOver = performance.now() - start > SWEPT_WITHIN_MS
    if (openRequests === null) throw new Error('whoever has the folder open counts no requests')
    if ((isCurrent && openRequests === 0) || isOver) return openRequests
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}

/**
 * JSON text of our own writing comes back to the byte: were it not so, the chain check would tell.
 */
function recorded(line: LoggedEvent): RecordedEvent {
  return {
    ...line,
    position: BigInt(line.position),
    data: JSON.stringify(line.data),
    metadata: JSON.stringify(line.metadata),
  }
}

/** As the checker takes it. */
export function asClientAnswer(told: ToldAnswer): ClientAnswer {
  const { requestId, promptTokens, cachedTokens, outputTokens } = told
  return {
    requestId,
    status: 200,
    usage: {
      inputTokens: promptTokens - cachedTokens,
      cachedInputTokens: cachedTokens,
      outputTokens,
    },
  }
}
