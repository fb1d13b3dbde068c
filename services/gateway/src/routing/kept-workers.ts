/**
 * Which workers an account leaves to others, where all of them compute on the same processors.
 *
 * Whoever comes to a worker waits for the batch that it computes, and for its main thread. An
 * account with much to do has all workers busy at all times, so everybody waits on each of them.
 * Therefore a quarter of the workers, at least one of several, is kept for others as long as others
 * come: the account that has most under way does not begin on the last workers that have nothing of
 * it. It goes on where it is, and its schemas are compiled there.
 *
 * The trade: of two workers such an account has one, also where the others do not fill the second.
 */
import { RecentTenants } from '@svc/infra/turns/recent-tenants'

/** One worker in this many is kept for others. */
const WORKERS_PER_KEPT = 4
/** Accounts that come seldom have none kept for them: the busiest one has all workers between. */
const LATELY_MS = 2_000

interface Work {
  /** Requests under way, by the worker that they are on. */
  readonly byWorker: Map<string, number>
  total: number
}

export class KeptWorkers {
  readonly #recent: RecentTenants
  /** The work of accounts that have requests under way. */
  readonly #work = new Map<string, Work>()

  /** @param nowMs milliseconds of a clock that only goes forward */
  constructor(nowMs: () => number) {
    this.#recent = new RecentTenants(nowMs, LATELY_MS)
  }

  /** @returns those of the workers on which a request of the account may begin: at least one */
  openTo<Named extends { readonly workerId: string }>(
    tenant: string,
    workers: readonly Named[],
  ): readonly Named[] {
    const own = this.#work.get(tenant)
    if (own === undefined || !this.#recent.othersThan(tenant)) return workers
    const untouched = workers.filter(({ workerId }) => !own.byWorker.has(workerId))
    const isLast = untouched.length <= keptOf(workers.length) && untouched.length < workers.length
    if (!isLast || !this.#hasMost(own)) return workers
    return workers.filter(({ workerId }) => own.byWorker.has(workerId))
  }

  /** @returns to be called once, when the request is over */
  begin(tenant: string, workerId: string): () => void {
    this.#recent.came(tenant)
    const work = this.#work.get(tenant) ?? { byWorker: new Map(), total: 0 }
    this.#work.set(tenant, work)
    work.total += 1
    work.byWorker.set(workerId, (work.byWorker.get(workerId) ?? 0) + 1)
    return () => {
      const left = (work.byWorker.get(workerId) ?? 0) - 1
      if (left > 0) work.byWorker.set(workerId, left)
      else work.byWorker.delete(workerId)
      work.total -= 1
      if (work.total === 0) this.#work.delete(tenant)
    }
  }

  #hasMost(own: Work): boolean {
    return [...this.#work.values()].every(({ total }) => total <= own.total)
  }
}

function keptOf(workers: number): number {
  return workers < 2 ? 0 : Math.max(1, Math.floor(workers / WORKERS_PER_KEPT))
}
