/** The heads of the streams that were last used, so that an append need not look them up. */
import type { StreamHead } from '@svc/contracts/ports/event-store'

/** Bounded: the head that was not used for the longest time gives way. */
export class StreamHeads<Head extends StreamHead> {
  /** In order of use: a Map keeps the order in which keys were put in. */
  readonly #heads = new Map<string, Head>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get(stream: string): Head | undefined {
    const head = this.#heads.get(stream)
    if (head !== undefined) this.set(stream, head)
    return head
  }

  set(stream: string, head: Head): void {
    this.#heads.delete(stream)
    this.#heads.set(stream, head)
    if (this.#heads.size <= this.#capacity) return
    const [oldest] = this.#heads.keys()
    if (oldest !== undefined) this.#heads.delete(oldest)
  }
}
