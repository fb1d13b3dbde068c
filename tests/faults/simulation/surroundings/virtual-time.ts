/**
 * Time that passes only when nothing else can happen. Each event of it has a turn of the event loop
 * for itself, so that all that follows from one without time passing is over before the next; what
 * is planned for the same moment happens in an order that the seed draws.
 */
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { START_MS } from '@svc/testing/manual-time'
import type { Random } from '@svc/testing/random'

interface Planned {
  readonly atMs: number
  readonly order: number
  /** Undefined when it was cancelled. */
  run: (() => void) | undefined
}

export class VirtualTime implements Clock, Timer {
  #nowMs = START_MS
  #events = 0
  readonly #random: Random
  /** A binary heap, the next one first. */
  readonly #heap: Planned[] = []

  constructor(random: Random) {
    this.#random = random
  }

  nowMs(): number {
    return this.#nowMs
  }

  /** Events that have happened. */
  get events(): number {
    return this.#events
  }

  after(delayMs: number, run: () => void): () => void {
    const atMs = this.#nowMs + Math.ceil(Math.max(0, delayMs))
    const planned: Planned = { atMs, order: this.#random.next(), run }
    this.#push(planned)
    return () => {
      planned.run = undefined
    }
  }

  wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve))
  }

  /** Lets time pass until something is over, and no longer than until a moment. */
  async run(isOver: () => boolean, untilMs: number): Promise<void> {
    await turn()
    while (!isOver()) {
      const next = this.#heap[0]
      if (next === undefined || next.atMs > untilMs) return
      this.#removeFirst()
      if (next.run === undefined) continue
      this.#nowMs = next.atMs
      this.#events += 1
      next.run()
      await turn()
    }
  }

  #push(planned: Planned): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(planned)
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!isBefore(planned, heap[above])) break
      heap[at] = heap[above] as Planned
      at = above
    }
    heap[at] = planned
  }

  #removeFirst(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (isBefore(heap[below + 1], heap[below])) below += 1
      if (!isBefore(heap[below], last)) break
      heap[at] = heap[below] as Planned
      at = below
    }
    heap[at] = last
  }
}

function isBefore(one: Planned | undefined, other: Planned | undefined): boolean {
  if (one === undefined || other === undefined) return false
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order)
}

/** Promises that are settled have run their course by then. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
