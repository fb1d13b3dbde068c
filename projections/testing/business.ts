/** A long log of many accounts, whose requests begin and end in between each other. */
import type { EventStore } from '@svc/contracts/ports/event-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'

const ACCOUNTS = 15
/**
 * How many requests run while others come, so that a request spans writes, and for some a commit.
 */
const RUNNING_MAX = 300

export class Business<Store extends EventStore = MemoryEventStore> {
  readonly store: Store
  readonly accounts = Array.from({ length: ACCOUNTS }, (_, i) => new AccountHistory(`${i}`).open())
  #begun = 0
  #ended = 0

  constructor(store = new MemoryEventStore() as EventStore as Store) {
    this.store = store
  }

  async goOn(requests: number): Promise<void> {
    for (const until = this.#begun + requests; this.#begun < until; this.#begun += 1) {
      this.#accountOf(this.#begun).accept(idOf(this.#begun), atOf(this.#begun))
      while (this.#begun - this.#ended >= this.#begun % RUNNING_MAX) await this.#endOldest()
      await this.#accountOf(this.#begun).writeTo(this.store)
    }
  }

  #accountOf(request: number): AccountHistory {
    return this.accounts[request % ACCOUNTS] as AccountHistory
  }

  async #endOldest(): Promise<void> {
    const account = this.#accountOf(this.#ended)
    await account.settle(idOf(this.#ended), atOf(this.#begun)).writeTo(this.store)
    this.#ended += 1
  }
}

const atOf = (request: number) => START_MS + request * 1_000
const idOf = (request: number) => requestId(atOf(request), `${request}`)
