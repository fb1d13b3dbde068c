/**
 * Turns on a thread that answers everybody: to read a large body, or to render and count a long
 * prompt, holds it for milliseconds. A tenant's works are done one after the other, however many
 * come at once, and after each it rests for a multiple of what that took, as long as others
 * come; a tenant alone has all of the time.
 */
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { pause, type Timer } from '@svc/contracts/ports/time'
import type { RecentTenants } from './recent-tenants.ts'
import type { Slices } from './slices.ts'

/** A tenant has a quarter of the thread's time at most: it rests for three times what it took. */
const REST_FACTOR = 3
/**
 * The longest work that needs no rest: a timer would take longer. Its number is bounded elsewhere.
 */
const SHORT_MS = 1

export class ThreadTurns {
  readonly #recent: RecentTenants
  readonly #nowMs: () => number
  readonly #timer: Timer
  readonly #processorMs: () => number
  /** The lines of tenants whose work waits or that rest: their work is done one after the other. */
  readonly #lines = new Map<string, Promise<void>>()

  /**
   * @param nowMs milliseconds of a clock that only goes forward
   * @param processorMs that this thread has had the processor: nobody rests for what others took
   */
  constructor(
    recent: RecentTenants,
    nowMs: () => number,
    timer: Timer,
    processorMs: () => number = nowMs,
  ) {
    this.#recent = recent
    this.#nowMs = nowMs
    this.#timer = timer
    this.#processorMs = processorMs
  }

  /** Does the work when the tenant has rested. @throws what the work throws */
  run<Result>(tenant: string, work: () => Result): Promise<Result> {
    this.#recent.came(tenant)
    const rested = this.#lines.get(tenant) ?? Promise.resolve()
    const turn = rested.then(() => this.#timed(work))
    const line = turn.then(({ ms }) => this.#rest(tenant, ms))
    this.#lines.set(tenant, line)
    void line.then(() => this.#lines.get(tenant) === line && this.#lines.delete(tenant))
    return turn.then(({ outcome }) => outcome())
  }

  /**
   * Does work in slices, each in a turn of its own. Whatever else waits for the thread has it in
   * between, also where the tenant is alone and need not rest.
   *
   * @param stop gives up what is left of the work, which is not wanted any more
   * @throws what a slice throws, or the reason of the stop
   */
  async runSlices<Result>(
    tenant: string,
    slices: Slices<Result>,
    stop?: AbortSignal,
  ): Promise<Result> {
    for (;;) {
      const slice = await this.run(tenant, () => {
        stop?.throwIfAborted()
        return slices.next()
      })
      if (slice.done === true) return slice.value
      await nextTurnOfLoop()
    }
  }

  #timed<Result>(work: () => Result): { readonly outcome: () => Result; readonly ms: number } {
    const [startMs, startProcessorMs] = [this.#nowMs(), this.#processorMs()]
    // The system counts processor time in ticks of milliseconds: short work can seem to take one.
    const tookMs = () => Math.min(this.#nowMs() - startMs, this.#processorMs() - startProcessorMs)
    try {
      const result = work()
      return { outcome: () => result, ms: tookMs() }
    } catch (error) {
      const outcome = (): never => {
        throw error
      }
      return { outcome, ms: tookMs() }
    }
  }

  async #rest(tenant: string, ms: number): Promise<void> {
    if (ms < SHORT_MS || !this.#recent.othersThan(tenant)) return
    await pause(this.#timer, ms * REST_FACTOR)
  }
}
