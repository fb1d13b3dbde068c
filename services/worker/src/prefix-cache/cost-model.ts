/**
 * Whether blocks are fetched from Redis or computed: both speeds are measured by this worker, as
 * averages that forget. For a small model over a slow network computing is the faster way.
 */

const WEIGHT_OF_NEWEST = 0.2
/** The assumed rate of a network that was not measured yet: 100 MB/s. */
const FETCH_BYTES_PER_MS_AT_FIRST = 100_000
const ROUND_TRIP_MS = 2
/** Fetching has to win clearly: it also takes from the event loop and from Redis. */
const WORTH_RATIO = 0.7
/** A network that was slow once is tried again after this many refusals. */
const REFUSALS_MAX = 32
/** A fetch that takes longer than this part of the computing is given up. */
const DEADLINE_RATIO = 0.5
const DEADLINE_MS_MIN = 20

export class CostModel {
  #computeTokensPerMs: number
  #fetchBytesPerMs = FETCH_BYTES_PER_MS_AT_FIRST
  #refusals = 0

  /** @param computeTokensPerMs as measured by the self-test */
  constructor(computeTokensPerMs: number) {
    this.#computeTokensPerMs = computeTokensPerMs
  }

  /** Prompt tokens were computed. */
  computed(tokens: number, ms: number): void {
    if (ms > 0) this.#computeTokensPerMs = average(this.#computeTokensPerMs, tokens / ms)
  }

  /** Blocks were fetched. */
  fetched(bytes: number, ms: number): void {
    if (ms > 0) this.#fetchBytesPerMs = average(this.#fetchBytesPerMs, bytes / ms)
  }

  /** How long computing takes, in milliseconds. */
  computeMs(tokens: number): number {
    return tokens / this.#computeTokensPerMs
  }

  /** @param tokens that need not be computed when the bytes are fetched */
  isWorthFetching(bytes: number, tokens: number): boolean {
    const fetchMs = bytes / this.#fetchBytesPerMs + ROUND_TRIP_MS
    const worth = fetchMs < this.computeMs(tokens) * WORTH_RATIO || this.#refusals >= REFUSALS_MAX
    this.#refusals = worth ? 0 : this.#refusals + 1
    return worth
  }

  /** Milliseconds after which a fetch is given up. */
  fetchDeadlineMs(tokens: number): number {
    return Math.max(DEADLINE_MS_MIN, Math.ceil(this.computeMs(tokens) * DEADLINE_RATIO))
  }
}

function average(old: number, newest: number): number {
  return old + (newest - old) * WEIGHT_OF_NEWEST
}
