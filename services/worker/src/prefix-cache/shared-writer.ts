/**
 * Copies blocks from this worker's memory to where other workers find them, after the request and
 * beside the next ones: a bounded line of jobs, one at a time, a few blocks at once. A job that
 * finds the line full pushes the oldest out: it only costs somebody some computing later.
 *
 * Blocks that this worker's memory has no room for wait with their job, up to a bound of their own.
 */
import type { PrefixBlock, PrefixStore } from '@svc/contracts/ports/prefix-store'
import { RecentlyUsed } from '@svc/infra/recently-used'

const JOBS_MAX = 64
/** Bytes of blocks that wait with their jobs. Blocks beyond that are not written. */
const WAITING_BYTES_MAX = 64 * 1024 ** 2
const BLOCKS_AT_ONCE = 4
/** How long a chain that was found in Redis is not looked up again. */
const SEEN_MS = 60_000
const SEEN_MAX = 4096

interface Job {
  readonly tenant: string
  readonly names: readonly string[]
  /** Consecutive blocks of the chain that this worker's memory has not kept. */
  readonly unkept: readonly PrefixBlock[]
  readonly written: () => void
}

export interface SharedWriterParts {
  /** This worker's memory: where what is written comes from. */
  readonly near: PrefixStore
  readonly store: PrefixStore
  /** Milliseconds of a clock that only goes forward. */
  readonly nowMs: () => number
  readonly onFailure: (what: string, error: unknown) => void
}

export class SharedWriter {
  readonly #from: PrefixStore
  readonly #to: PrefixStore
  readonly #nowMs: () => number
  readonly #onFailure: (what: string, error: unknown) => void
  readonly #jobs: Job[] = []
  /** The last name of chains that are there, and when that was seen. */
  readonly #seen = new RecentlyUsed<string, number>({ entriesMax: SEEN_MAX })
  #waitingBytes = 0
  #busy = false

  constructor({ near, store, nowMs, onFailure }: SharedWriterParts) {
    this.#from = near
    this.#to = store
    this.#nowMs = nowMs
    this.#onFailure = onFailure
  }

  /** Whether the chain is there, as far as is known: then it need not be written. */
  hasSeen(names: readonly string[]): boolean {
    const last = names.at(-1)
    return last === undefined || this.#nowMs() - (this.#seen.get(last) ?? -SEEN_MS) < SEEN_MS
  }

  /**
   * Resolves when the blocks were written, or given up.
   *
   * @param unkept consecutive blocks of the chain that this worker's memory has not kept
   */
  write(tenant: string, names: readonly string[], unkept: readonly PrefixBlock[]): Promise<void> {
    if (this.hasSeen(names)) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    const fitting = leadingWithin(unkept, WAITING_BYTES_MAX - this.#waitingBytes)
    this.#waitingBytes += bytesOf(fitting)
    this.#jobs.push({ tenant, names, unkept: fitting, written: resolve })
    if (this.#jobs.length > JOBS_MAX) this.#end(this.#jobs.shift())
    void this.#work()
    return promise
  }

  async #work(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) {
      try {
        await this.#copy(job)
      } catch (error) {
        // Stores promise not to reject; a defect of one must not end the writing for good.
        this.#onFailure('failed to write shared blocks, others compute them', error)
      }
      this.#end(job)
    }
    this.#busy = false
  }

  #end(job: Job | undefined): void {
    if (job === undefined) return
    this.#waitingBytes -= bytesOf(job.unkept)
    job.written()
  }

  async #copy({ tenant, names, unkept }: Job): Promise<void> {
    const there = await this.#to.has(names)
    const kept = there < names.length ? await this.#from.get(names) : []
    const next = unkept.findIndex(({ name }) => name === names[kept.length])
    const blocks = next === -1 ? kept : [...kept, ...unkept.slice(next)]
    for (let at = there; at < blocks.length; at += BLOCKS_AT_ONCE) {
      await this.#to.put(tenant, blocks.slice(at, at + BLOCKS_AT_ONCE))
    }
    if (Math.max(there, blocks.length) === names.length) this.saw(names)
  }

  /** The chain is there: for a while it need not be asked for again. */
  saw(names: readonly string[]): void {
    const last = names.at(-1)
    if (last !== undefined) this.#seen.set(last, this.#nowMs())
  }
}

function leadingWithin(blocks: readonly PrefixBlock[], bytesMax: number): readonly PrefixBlock[] {
  let bytes = 0
  const beyond = blocks.findIndex((block) => {
    bytes += block.bytes.byteLength
    return bytes > bytesMax
  })
  return beyond === -1 ? blocks : blocks.slice(0, beyond)
}

function bytesOf(blocks: readonly PrefixBlock[]): number {
  return blocks.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)
}
