/**
 * How a writer shares its stream with the writers of other processes.
 *
 * Who loses a race folds the account again, which takes longer than the winner's next append: the
 * winner would win for ever. So a writer that saw others' events lately takes turns with them. It
 * reads to the end of the stream before it decides, so that it begins no race that is lost already,
 * and after an append it leaves the stream alone for some times as long as its own turn took. Who
 * has lost tries again at once. A writer that wins every race sees nobody: so, where there can
 * be others, one that never comes to rest by itself rests now and then.
 *
 * The trade: while two processes work on one account, each of its appends waits a few milliseconds
 * more, and carries more commands.
 */
import { type Clock, pause, type Timer } from '@svc/contracts/ports/time'

/** How long the stream counts as shared after another writer's event was seen. */
const SHARED_MS = 1_000
/** Room for the turn of another one, which has to read first, and of a third. */
const TURNS_LEFT_TO_OTHERS = 3
const SHORTEST_TURN_MS = 2
const LONGEST_PAUSE_MS = 200
/** Long enough for another one to fold what it has not seen yet, and to append. */
const REST_MS = 40

export class Contention {
  readonly #clock: Clock
  readonly #timer: Timer
  #sharedUntil = 0
  readonly #restEveryMs: number
  #turnBeganAt = 0
  #turnEndedAt = 0
  #restedAt = 0
  #othersTurnUntil = 0
  #lostInARow = 0

  /** @param restEveryMs how long it may work without a rest; infinite where there are no others */
  constructor(clock: Clock, timer: Timer, restEveryMs: number) {
    this.#clock = clock
    this.#timer = timer
    this.#restEveryMs = restEveryMs
  }

  /** Races that were lost since the last append, or since a batch was given up. */
  get lostInARow(): number {
    return this.#lostInARow
  }

  /** Whether others write to the stream too. */
  get isShared(): boolean {
    return this.#clock.nowMs() < this.#sharedUntil
  }

  /**
   * Waits for the own turn: not at all when there are no others.
   *
   * @returns whether it has waited, so that others may have written meanwhile
   */
  async awaitTurn(): Promise<boolean> {
    const waitMs = this.#waitMs(this.#clock.nowMs())
    if (waitMs > 0) await pause(this.#timer, waitMs)
    this.#turnBeganAt = this.#clock.nowMs()
    if (this.#turnBeganAt - this.#turnEndedAt >= REST_MS) this.#restedAt = this.#turnBeganAt
    return waitMs > 0
  }

  /** Somebody else's events were found. */
  noteOthers(): void {
    this.#sharedUntil = this.#clock.nowMs() + SHARED_MS
  }

  /** The own turn is not over: nothing was written in it. */
  noteLostRace(): void {
    this.noteOthers()
    this.#lostInARow += 1
    this.#othersTurnUntil = 0
  }

  /** The batch was refused after too many lost races: the next one begins anew. */
  noteGivenUp(): void {
    this.#lostInARow = 0
  }

  /** The own turn is over. */
  noteAppended(): void {
    this.#lostInARow = 0
    const nowMs = this.#clock.nowMs()
    const turnMs = Math.max(nowMs - this.#turnBeganAt, SHORTEST_TURN_MS)
    this.#othersTurnUntil = nowMs + TURNS_LEFT_TO_OTHERS * turnMs
    this.#turnEndedAt = nowMs
  }

  #waitMs(nowMs: number): number {
    if (this.isShared) return Math.min(this.#othersTurnUntil - nowMs, LONGEST_PAUSE_MS)
    const hasRested = nowMs - this.#turnEndedAt >= REST_MS
    return hasRested || nowMs - this.#restedAt < this.#restEveryMs ? 0 : REST_MS
  }
}
