/** The requests that a view shows as running: it follows the log, and is behind it. */
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { RunningRow } from '@svc/ledger/sweeper'
import type { VirtualTime } from './virtual-time.ts'

const ENDS: ReadonlySet<string> = new Set(['CreditDebited', 'RequestFailed', 'RequestAbandoned'])

export class RunningRows {
  readonly #time: VirtualTime
  readonly #lagMs: number
  readonly #rows = new Map<string, RunningRow>()
  #waiting = 0

  /** @param lagMs how far the view is behind the log */
  constructor(time: VirtualTime, lagMs: number) {
    this.#time = time
    this.#lagMs = lagMs
  }

  /** Whether it shows all of the log, and that nothing runs. */
  get isEmpty(): boolean {
    return this.#waiting === 0 && this.#rows.size === 0
  }

  take(events: readonly RecordedEvent[]): void {
    this.#waiting += 1
    this.#time.after(this.#lagMs, () => {
      this.#waiting -= 1
      for (const event of events) this.#fold(event)
    })
  }

  find(limit: number): readonly RunningRow[] {
    return [...this.#rows.values()]
      .toSorted((one, other) => one.deadline - other.deadline)
      .slice(0, limit)
  }

  #fold({ type, stream, data }: RecordedEvent): void {
    if (type !== 'RequestAccepted' && !ENDS.has(type)) return
    const { requestId, gatewayId, deadline } = JSON.parse(data) as RunningRow
    if (type !== 'RequestAccepted') this.#rows.delete(requestId)
    else {
      const accountId = stream.replace('account-', '')
      this.#rows.set(requestId, { accountId, requestId, gatewayId, deadline })
    }
  }
}
