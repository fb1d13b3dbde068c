/** How far the move of a ledger is. */

export interface MoveProgress {
  readonly type: 'progress'
  /** What is worked on. */
  readonly part: string
  /** The share of the whole work, from 0 to 1. */
  readonly share: number
  /** Events, or texts, per second. */
  readonly rate: number
}

export type ReportMove = (progress: MoveProgress) => void

export interface MovedCounts {
  readonly events: number
  /** 0 when only what was left of the move was done: the counts are of what this call compared. */
  readonly streams: number
  readonly texts: number
}

interface LogPlace {
  readonly position: bigint
  readonly end: bigint
}

/** Shares of the whole work; what is left of it is the comparison of the events. */
const TEXTS_SHARE = 0.05
const EVENTS_SHARE = 0.6
const SHARE_STEPS = 1_000_000n

export class MoveReports {
  readonly #report: ReportMove
  #part = ''
  #begunMs = 0
  #streams = 0
  #texts = 0

  constructor(report: ReportMove) {
    this.#report = report
  }

  get counts(): Pick<MovedCounts, 'streams' | 'texts'> {
    return { streams: this.#streams, texts: this.#texts }
  }

  texts(done: number): void {
    this.#tell('texts', 0, done)
  }

  events(done: number, place: LogPlace): void {
    this.#tell('events', TEXTS_SHARE + EVENTS_SHARE * shareOf(place), done)
  }

  comparedTexts(done: number): void {
    this.#texts = done
    this.#tell('comparing texts', TEXTS_SHARE + EVENTS_SHARE, done)
  }

  comparedEvents(done: number, place: LogPlace): void {
    const begun = TEXTS_SHARE + EVENTS_SHARE
    this.#tell('comparing events', begun + (1 - begun) * shareOf(place), done)
  }

  compared(streams: number): void {
    this.#streams = streams
  }

  #tell(part: string, share: number, done: number): void {
    const nowMs = performance.now()
    if (part !== this.#part) this.#begunMs = nowMs
    this.#part = part
    const seconds = (nowMs - this.#begunMs) / 1_000
    const rate = seconds > 0 ? Math.round(done / seconds) : 0
    this.#report({ type: 'progress', part, share, rate })
  }
}

/** Positions of an EventStoreDB do not count events, but they grow with them. */
function shareOf({ position, end }: LogPlace): number {
  if (end <= 0n) return 1
  const share = Number(((position > 0n ? position : 0n) * SHARE_STEPS) / end) / Number(SHARE_STEPS)
  return Math.min(1, share)
}
