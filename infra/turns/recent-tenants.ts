/** Whether a tenant is alone, as far as the last minute tells. */

/** A tenant that came longer ago does not count any more. */
const LATELY_MS = 60_000

export class RecentTenants {
  readonly #nowMs: () => number
  /** The two that came last, the newest first: of any tenant that is asked about one is another. */
  #last: readonly { readonly tenant: string; readonly atMs: number }[] = []

  /** @param nowMs milliseconds of a clock that only goes forward */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  came(tenant: string): void {
    const others = this.#last.filter((came) => came.tenant !== tenant)
    this.#last = [{ tenant, atMs: this.#nowMs() }, ...others].slice(0, 2)
  }

  othersThan(tenant: string): boolean {
    const sinceMs = this.#nowMs() - LATELY_MS
    return this.#last.some((came) => came.tenant !== tenant && came.atMs >= sinceMs)
  }
}
