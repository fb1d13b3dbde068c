/**
 * What waits to be compiled: in its order within a tenant, and the tenants take turns. A tenant
 * whose turn it is can be passed over, and keeps its turn.
 */

/** Of one tenant, and of all together. */
const TENANT_TASKS_MAX = 64
const TASKS_MAX = 1024

export class TaskQueue<Task> {
  /** In the order of their turns. Never holds an empty line. */
  readonly #lines = new Map<string, Task[]>()
  #length = 0

  /** @returns false, and does nothing, when too many wait */
  push(tenant: string, task: Task): boolean {
    const line = this.#lines.get(tenant) ?? []
    if (line.length >= TENANT_TASKS_MAX || this.#length >= TASKS_MAX) return false
    line.push(task)
    this.#lines.set(tenant, line)
    this.#length += 1
    return true
  }

  /** @param mayServe whether a task of this tenant can be begun now */
  shift(mayServe: (tenant: string) => boolean): Task | undefined {
    for (const [tenant, line] of this.#lines) {
      if (!mayServe(tenant)) continue
      const task = line.shift()
      this.#lines.delete(tenant)
      if (line.length > 0) this.#lines.set(tenant, line)
      this.#length -= 1
      return task
    }
    return undefined
  }
}
