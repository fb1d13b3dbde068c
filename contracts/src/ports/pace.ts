/**
 * PORT: the pace of long work, such as verifying the log or building a view. The work shares the
 * event loop with the requests that the server answers meanwhile, so it is cut into steps of a few
 * milliseconds, and the pace decides when the next step may run.
 */
export interface Pace {
  /** Whether requests of customers share the event loop now. Default: they never do. */
  readonly isShared?: boolean
  /**
   * Runs one step, in a turn of the event loop of its own. All long work of a process shares one
   * pace: steps run one after another, in the order in which they were asked for.
   *
   * @param work takes a few milliseconds at most, not counting what it awaits
   * @throws what the work throws
   */
  step<Result>(work: () => Result | PromiseLike<Result>): Promise<Result>
}

/** A step delays the requests that come during it, so it is shorter while customers are served. */
const SHARED_PART = 1 / 4

/** @param size of a full step, a few milliseconds of work @returns the size of the next step */
export function stepSize({ isShared = false }: Pick<Pace, 'isShared'>, size: number): number {
  return isShared ? Math.ceil(size * SHARED_PART) : size
}

/**
 * Calls `take` with each of the values, in steps of `perStep` values, or of fewer while customers
 * are served.
 *
 * @param perStep how many values take a few milliseconds together
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
