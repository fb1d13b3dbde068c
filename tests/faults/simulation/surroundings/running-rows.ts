/** The requests that a view shows as running: it follows the log, and is behind it. */
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { RunningPage, RunningQuery, RunningRow } from '@svc/ledger/sweeper'
import type { VirtualTime } from './virtual-time.ts'

const ENDS: ReadonlySet<string> = new Set(['CreditDebited', 'RequestFailed', 'RequestAbandoned'])

const BEFORE_ALL: Place = { deadline: 0, requestId: '' }
const ROWS_PER_PAGE = 2

type Place = Pick<RunningRow, 'deadline' | 'requestId'>

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

  /** The first page is empty, as if all of it were of a damaged account; the others are short. */
  find({ after }: RunningQuery): RunningPage {
    if (after === undefined) return { rows: [], next: BEFORE_ALL }
    const behind = [...this.#rows.values()]
      .toSorted(byDeadline)
      .filter((row) => byDeadline(row, after) > 0)
    const rows = behind.slice(0, ROWS_PER_PAGE)
    return { rows, next: behind.length > rows.length ? rows.at(-1) : undefined }
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

function byDeadline(one: Place, other: Place): number {
  if (one.deadline !== other.deadline) return one.deadline - other.deadline
  return one.requestId < other.requestId ? -1 : Number(one.requestId > other.requestId)
}
