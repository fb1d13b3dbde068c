/** Whether a tenant is alone, as far as the last time tells: a minute by default. */

const LATELY_MS = 60_000

export class RecentTenants {
  readonly #nowMs: () => number
  readonly #latelyMs: number
  /** The two that came last, the newest first: of any tenant that is asked about one is another. */
  #last: readonly { readonly tenant: string; readonly atMs: number }[] = []

  /**
   * @param nowMs milliseconds of a clock that only goes forward
   * @param latelyMs a tenant that came longer ago does not count any more
   */
  constructor(nowMs: () => number, latelyMs = LATELY_MS) {
    this.#nowMs = nowMs
    this.#latelyMs = latelyMs
  }

  came(tenant: string): void {
    const others = this.#last.filter((came) => came.tenant !== tenant)
    this.#last = [{ tenant, atMs: this.#nowMs() }, ...others].slice(0, 2)
  }

  othersThan(tenant: string): boolean {
    const sinceMs = this.#nowMs() - this.#latelyMs
    return this.#last.some((came) => came.tenant !== tenant && came.atMs >= sinceMs)
  }
}
