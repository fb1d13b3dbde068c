/** The views over an API key: what a caller has done itself is in every answer. */
import { viewBehind } from '@svc/contracts/errors'
import { type EventStore, type Position, START } from '@svc/contracts/ports/event-store'
import type { Ledger } from '@svc/ledger/ledger'

/** How long an answer waits for a view to hold what the caller has done last. */
const READ_YOUR_WRITES_MS = 2_000

export type ViewName = 'requests' | 'statement' | 'usage' | 'evidence'

export interface OwnViews {
  readonly ledger: Pick<Ledger, 'lastPosition'>
  /** Asked about one view alone: no other can hold an answer up. Without a name, about all. */
  viewsReached(position: Position, timeoutMs: number, name?: ViewName): Promise<boolean>
}

/** @throws {ServiceError} `view_behind` when the view does not get there in time */
export async function viewHolds(views: OwnViews, name: ViewName, accountId: string): Promise<void> {
  await viewReaches(views, name, views.ledger.lastPosition(accountId) ?? START)
}

/**
 * Waits for what any process has done, of which the memory of this one may know nothing.
 *
 * @throws {ServiceError} `view_behind` when the view does not get there in time
 */
export async function viewHoldsAll(
  views: OwnViews & { readonly log: Pick<EventStore, 'lastPosition'> },
  name: ViewName,
): Promise<void> {
  await viewReaches(views, name, await views.log.lastPosition())
}

async function viewReaches(
  { viewsReached }: OwnViews,
  name: ViewName,
  position: Position,
): Promise<void> {
  if (!(await viewsReached(position, READ_YOUR_WRITES_MS, name))) throw viewBehind()
}
