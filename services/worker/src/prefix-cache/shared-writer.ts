/**
 * Copies blocks from this worker's memory to where other workers find them, after the request and
 * beside the next ones: a bounded line of jobs, one at a time, a few blocks at once. A job that
 * finds the line full pushes the oldest out: it only costs somebody some computing later.
 */
import type { PrefixStore } from '@svc/contracts/prefix-store'

const JOBS_MAX = 64
const BLOCKS_AT_ONCE = 4
/** A chain that was seen to be there is not asked for again for so long. */
const SEEN_MS = 60_000
const SEEN_MAX = 4096

interface Job {
  readonly tenant: string
  readonly names: readonly string[]
  readonly written: () => void
}

export class SharedWriter {
  readonly #from: PrefixStore
  readonly #to: PrefixStore
  readonly #nowMs: () => number
  readonly #jobs: Job[] = []
  /** The last name of chains that are there, and when that was seen. */
  readonly #seen = new Map<string, number>()
  #busy = false

  constructor(from: PrefixStore, to: PrefixStore, nowMs: () => number) {
    this.#from = from
    this.#to = to
    this.#nowMs = nowMs
  }

  /** Resolves when the blocks were written, or given up. */
  write(tenant: string, names: readonly string[]): Promise<void> {
    const last = names.at(-1)
    if (last === undefined || this.#nowMs() - (this.#seen.get(last) ?? -SEEN_MS) < SEEN_MS) {
      return Promise.resolve()
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#jobs.push({ tenant, names, written: resolve })
    if (this.#jobs.length > JOBS_MAX) this.#jobs.shift()?.written()
    void this.#work()
    return promise
  }

  async #work(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) {
      await this.#copy(job)
      job.written()
    }
    this.#busy = false
  }

  async #copy({ tenant, names }: Job): Promise<void> {
    const there = await this.#to.has(names)
    const blocks = there < names.length ? await this.#from.get(names) : []
    for (let at = there; at < blocks.length; at += BLOCKS_AT_ONCE) {
      await this.#to.put(tenant, blocks.slice(at, at + BLOCKS_AT_ONCE))
    }
    if (Math.max(there, blocks.length) === names.length) this.saw(names)
  }

  /** The chain is there: for a while it need not be asked for again. */
  saw(names: readonly string[]): void {
    const last = names.at(-1)
    if (last === undefined) return
    this.#seen.delete(last)
    this.#seen.set(last, this.#nowMs())
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > SEEN_MAX && oldest !== undefined) this.#seen.delete(oldest)
  }
}
