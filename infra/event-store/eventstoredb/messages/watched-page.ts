/**
 * Tells where a page ends that is read by a subscription. Only a subscription says how far the
 * server has looked among events that the filter does not let through, but it goes on for ever.
 */
import { CAUGHT_UP, LOOKED_AT_EVENTS, type LookedAt } from './read-messages.ts'
import type { ReadWatch } from './server-calls.ts'
import type { ServerEvent } from './server-event.ts'

export class WatchedPage {
  readonly #watch: ReadWatch
  readonly #limit: number
  #letThrough = 0
  #lookedAt = 0
  #passedOver = 0

  /** @param limit of the events that are let through */
  constructor(watch: ReadWatch, limit: number) {
    this.#watch = watch
    this.#limit = limit
  }

  /** @returns whether the page ends with this answer */
  isEndedBy(answer: ServerEvent | LookedAt | typeof CAUGHT_UP): boolean {
    if (answer === CAUGHT_UP) return true
    if ('lookedUpTo' in answer) {
      this.#lookedAt += LOOKED_AT_EVENTS
      this.#tell()
      return answer.lookedUpTo >= this.#watch.until
    }
    this.#letThrough += 1
    return this.#letThrough === this.#limit || answer.position >= this.#watch.until
  }

  #tell(): void {
    const passedOver = this.#lookedAt - this.#letThrough
    if (passedOver <= this.#passedOver) return
    this.#watch.onPassedOver(passedOver - this.#passedOver)
    this.#passedOver = passedOver
  }
}
