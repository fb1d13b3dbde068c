/** Counts what the appends to a store came to: a test of faults must see that they bite. */
import type { AppendOutcome, AppendRequest } from '@svc/contracts/ports/event-store'
import { WrappedEventStore } from './wrapped-event-store.ts'

export class CountingStore extends WrappedEventStore {
  /** Of all appends that did not reject. */
  readonly outcomes: Record<AppendOutcome['kind'], number> = {
    appended: 0,
    duplicate: 0,
    conflict: 0,
    unknown: 0,
  }

  override async append(request: AppendRequest): Promise<AppendOutcome> {
    const outcome = await super.append(request)
    this.outcomes[outcome.kind] += 1
    return outcome
  }
}
