/**
 * Prompts that are being computed right now, so that another one which begins alike waits for the
 * common part instead of computing it at the same time (single flight).
 *
 * Who waits, waits for one block; whoever computes is asked after each chunk whether somebody waits
 * for it, and hands over what is there; who has computed all and only holds it still, is told. A
 * flight that ends early lets all go on by themselves. No two can wait for each other: a prompt
 * waits before it becomes a flight, never after.
 */

interface Waiter {
  /** How many leading blocks have to be there. */
  readonly blocks: number
  readonly go: () => void
}

export class Flight {
  readonly names: readonly string[]
  /** The flight calls this when somebody begins to wait for it. */
  onAwaited: () => void = () => {}
  #waiters: Waiter[] = []

  constructor(names: readonly string[]) {
    this.names = names
  }

  /** Whether somebody waits for no more than the first `blocks` blocks. */
  isAwaited(blocks: number): boolean {
    return this.#waiters.some((waiter) => waiter.blocks <= blocks)
  }

  /** The first `blocks` blocks can be had. */
  arrive(blocks: number): void {
    for (const waiter of this.#waiters) if (waiter.blocks <= blocks) waiter.go()
  }

  end(): void {
    this.arrive(Number.POSITIVE_INFINITY)
  }

  /**
   * Resolves when the first `blocks` blocks are there, when the flight ends, or on the signal.
   *
   * @param signal that has not come yet
   */
  async whenArrived(blocks: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const go = () => resolve()
    const waiter = { blocks, go }
    this.#waiters.push(waiter)
    signal.addEventListener('abort', go)
    this.onAwaited()
    await promise
    signal.removeEventListener('abort', go)
    this.#waiters = this.#waiters.filter((each) => each !== waiter)
  }
}

export class Flights {
  readonly #byName = new Map<string, Flight>()

  /** Finds the flight that computes this block, if there is one: none that has ended. */
  of(name: string | undefined): Flight | undefined {
    return name === undefined ? undefined : this.#byName.get(name)
  }

  /** @param from the first block that is computed */
  begin(names: readonly string[], from: number): Flight {
    const flight = new Flight(names)
    for (const name of names.slice(from)) {
      if (!this.#byName.has(name)) this.#byName.set(name, flight)
    }
    return flight
  }

  end(flight: Flight): void {
    for (const name of flight.names) {
      if (this.#byName.get(name) === flight) this.#byName.delete(name)
    }
    flight.end()
  }
}
