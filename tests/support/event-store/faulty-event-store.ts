/**
 * For tests: an event store whose appends go wrong as a plan says. Reads and subscriptions pass
 * through. The faults are those that were seen of real stores over a network; none of them breaks
 * the port.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type AppendOutcome,
  type AppendRequest,
  type EventStore,
  StoreClosedError,
} from '@svc/contracts/ports/event-store'
import type { FaultPlan } from './fault-plan.ts'
import { WrappedEventStore } from './wrapped-event-store.ts'

/**
 * Turns of the event loop by which a delayed or late append is late: no clock, so no flaky test.
 */
const DELAY_TURNS = 5

class InjectedFault extends Error {
  override readonly name = 'InjectedFault'
}

export class FaultyEventStore extends WrappedEventStore {
  readonly #plan: FaultPlan
  readonly #late = new Set<Promise<unknown>>()
  #closing = false

  constructor(inner: EventStore, plan: FaultPlan) {
    super(inner)
    this.#plan = plan
  }

  override async append(request: AppendRequest): Promise<AppendOutcome> {
    if (this.#closing) throw new StoreClosedError()
    const fault = this.#plan.next()
    const unknown: AppendOutcome = { kind: 'unknown', cause: new InjectedFault(fault) }
    switch (fault) {
      case 'none':
        return super.append(request)
      case 'fail-before':
        return unknown
      case 'commit-then-unknown':
        await super.append(request)
        return unknown
      case 'commit-late':
        this.#appendLate(request)
        return unknown
      case 'conflict':
        return { kind: 'conflict' }
      case 'delay':
        await turns()
        return super.append(request)
    }
  }

  override async close(): Promise<void> {
    this.#closing = true
    await Promise.all(this.#late)
    await super.close()
  }

  #appendLate(request: AppendRequest): void {
    const late = turns()
      .then(() => super.append(request))
      // Its caller was told "unknown" long ago: there is nobody to tell.
      .catch(() => {})
      .finally(() => this.#late.delete(late))
    this.#late.add(late)
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < DELAY_TURNS; turn += 1) await nextTurn()
}
