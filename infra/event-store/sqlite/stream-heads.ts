/** The heads of the streams that were last appended to, so that an append need not look them up. */
import type { StreamHead } from '@svc/contracts/event-store'

export interface KnownHead extends StreamHead {
  readonly streamId: number
}

/** Bounded: the head that was not used for the longest time gives way. */
export class StreamHeads {
  /** In order of use: a Map keeps the order in which keys were put in. */
  readonly #heads = new Map<string, KnownHead>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get(stream: string): KnownHead | undefined {
    const head = this.#heads.get(stream)
    if (head !== undefined) this.set(stream, head)
    return head
  }

  set(stream: string, head: KnownHead): void {
    this.#heads.delete(stream)
    this.#heads.set(stream, head)
    if (this.#heads.size <= this.#capacity) return
    const [oldest] = this.#heads.keys()
    if (oldest !== undefined) this.#heads.delete(oldest)
  }
}
