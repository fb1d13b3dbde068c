/**
 * The port through which long work (verifying the log, building a view) shares the event loop with
 * the requests that a server answers meanwhile. The work is cut into steps of a few milliseconds;
 * the pace decides when the next one may run.
 */
export interface Pace {
  /** Whether customers are served at the moment. Left out: they never are. */
  readonly isShared?: boolean
  /**
   * Runs one step, in a turn of the event loop of its own. All long work of a process shares one
   * pace: steps run one after another, in the order in which they were asked for.
   *
   * @param work at most a few milliseconds; what it awaits does not count
   * @throws what the work throws
   */
  step<Result>(work: () => Result | PromiseLike<Result>): Promise<Result>
}

/** A step holds up whoever comes meanwhile: so it is this much shorter while somebody may come. */
const SHARED_PART = 1 / 4

/** @param size of a step that takes a few milliseconds @returns how much of it to take now */
export function stepSize({ isShared = false }: Pick<Pace, 'isShared'>, size: number): number {
  return isShared ? Math.ceil(size * SHARED_PART) : size
}

/**
 * Takes all values, `perStep` in each step, or fewer while customers are served.
 *
 * @param perStep how many take a few milliseconds together
 * @throws when the signal aborts between two steps, and what `take` throws
 */
export async function inSteps<Value>(
  pace: Pace,
  values: Iterable<Value>,
  perStep: number,
  take: (value: Value) => void,
  signal?: AbortSignal,
): Promise<void> {
  const rest = values[Symbol.iterator]()
  for (let isOver = false; !isOver; ) {
    signal?.throwIfAborted()
    isOver = await pace.step(() => {
      const size = stepSize(pace, perStep)
      for (let taken = 0; taken < size; taken += 1) {
        const { done, value } = rest.next()
        if (done === true) return true
        take(value)
      }
      return false
    })
  }
}
