/** What is asked of the open views: each question goes to the file that answers it. */
import { eventId, isId } from '@svc/contracts/ids'
import type { EventStore, Position, RecordedEvent } from '@svc/contracts/ports/event-store'
import { damageIn, type Quarantine } from '@svc/contracts/ports/quarantine'
import type { Projection } from './projection/projection.ts'
import type { LiveView } from './runner/live-view.ts'
import { viewBehindLog } from './runner/projection-status.ts'
import type { Runner } from './runner/runner.ts'
import { accountsProjection } from './views/accounts/accounts.ts'
import {
  type AccountsQueries,
  type AccountTotals,
  accountsQueries,
} from './views/accounts/queries.ts'
import { eventPlacesProjection } from './views/event-places/event-places.ts'
import { eventOfId, eventPlacesQueries } from './views/event-places/queries.ts'
import { evidenceProjection } from './views/evidence/evidence.ts'
import { type EvidenceQueries, evidenceQueries } from './views/evidence/queries.ts'
import { requestsQueries } from './views/requests/queries.ts'
import { readRequest } from './views/requests/read-request.ts'
import { requestsProjection } from './views/requests/requests.ts'
import type { AccountMonth } from './views/rows/usage-rows.ts'
import { statementQueries } from './views/statement/queries.ts'
import { statementProjection } from './views/statement/statement.ts'
import { UsageQueries } from './views/usage/queries.ts'
import { RequestLists } from './views/usage/request-lists.ts'
import { RequestTotals } from './views/usage/request-totals.ts'
import { usageProjection } from './views/usage/usage.ts'
import type { Views } from './views/views.ts'

/** How long a question for an event waits for what was written last. */
const EVENTS_WAIT_MS = 2_000

/** The questions of an operator, beyond what the gateway asks. */
export interface OperatorViews extends Views, EvidenceQueries {
  accountTotals(): AccountTotals
  /** Lists whose texts were erased, by subject. */
  readonly erasures: AccountsQueries['erasures']
  /**
   * The event of an id, wherever it stands, or that which made the grant, the adjustment or the
   * refund of an id; undefined where there is none.
   *
   * @throws {ServiceError} `view_behind` when a view is that has to know it: that of requests for a
   *   refund, and that of events where the store has no index
   */
  eventOf(id: string): Promise<RecordedEvent | undefined>
  movementsSnapshot(): Promise<MovementsSnapshot>
}

/** The movements of balances as they were at one position of the log, until it is closed. */
interface MovementsSnapshot {
  readonly position: Position
  /** Sums the movements from one quarter of an hour to another, in milliseconds since 1970. */
  movements(accountId: string, from: number, to: number): AccountMonth
  close(): void
}

/** @param quarantine told of a stream that is found damaged when a request is read from it */
export function operatorViews(
  live: readonly LiveView[],
  store: EventStore,
  runner: Runner,
  quarantine: Pick<Quarantine, 'note'>,
): OperatorViews {
  const accounts = queriesOf(live, accountsProjection, accountsQueries)
  const statement = queriesOf(live, statementProjection, statementQueries)
  const requests = queriesOf(live, requestsProjection, requestsQueries)
  const evidence = queriesOf(live, evidenceProjection, evidenceQueries)
  const usage = queriesOf(live, usageProjection, (database) => new UsageQueries(database))
  const requestLists = queriesOf(live, usageProjection, (database) => new RequestLists(database))
  const requestTotals = queriesOf(live, usageProjection, (database) => new RequestTotals(database))
  const request = async (requestId: string) => {
    const place = requests().place(requestId)
    if (place === undefined) return undefined
    try {
      return await readRequest(store, place)
    } catch (error) {
      // Whoever asked is refused for it, so an operator has to be told too.
      const damage = damageIn(error)
      if (damage !== undefined) quarantine.note(damage)
      throw error
    }
  }
  return {
    request,
    async requestOfKey(accountId, keyHash) {
      const requestId = requests().requestOfKey(accountId, keyHash)
      return requestId === undefined ? undefined : request(requestId)
    },
    runningRequests: (query) => requests().runningRequests(query),
    accounts: (page) => accounts().accounts(page),
    account: (accountId) => accounts().account(accountId),
    accountStandings: (page) => accounts().accountStandings(page),
    accountsCalled: (page) => accounts().accountsCalled(page),
    spentSince: (accounts, fromMs) => usage().spentSince(accounts, fromMs),
    accountTotals: () => accounts().accountTotals(),
    eventOf: eventsById(live, store, runner),
    grants: (query) => accounts().grants(query),
    grantOwner: (grantId) => accounts().grantOwner(grantId),
    holds: (query) => accounts().holds(query),
    prices: () => accounts().prices(),
    erasures: (page) => accounts().erasures(page),
    statement: (query) => statement().statement(query),
    requestIds: (query) => requestLists().requests(query),
    requestTotals: (query) => requestTotals().totals(query),
    usage: (query) => usage().usage(query),
    nextUse: (query, fromMs) => usage().nextUse(query, fromMs),
    seriesCount: (accountId) => usage().seriesCount(accountId),
    key: (keyId) => usage().key(keyId),
    keys: (accountId) => usage().keys(accountId),
    treeSize: () => evidence().treeSize(),
    treeRoot: (size) => evidence().treeRoot(size),
    leafOf: (event) => evidence().leafOf(event),
    inclusionProof: (leaf, size) => evidence().inclusionProof(leaf, size),
    consistencyProof: (first, second) => evidence().consistencyProof(first, second),
    movementsSnapshot: () => movementsSnapshot(live, runner),
  }
}

/**
 * Finds an event by its id, or by that of the movement that it made. The id of the event of a grant
 * or an adjustment is made of theirs; that of a refund is made of its request's.
 */
function eventsById(
  live: readonly LiveView[],
  store: EventStore,
  runner: Runner,
): OperatorViews['eventOf'] {
  const ofEvent = eventsByOwnId(live, store, runner)
  const requests = queriesOf(live, requestsProjection, requestsQueries)
  return async (id) => {
    if (isId('grant', id)) return ofEvent(eventId(id, 'CreditGranted'))
    if (isId('adj', id)) return ofEvent(eventId(id, 'BalanceAdjusted'))
    if (!isId('refund', id)) return ofEvent(id)
    await caughtUp(store, runner, viewOf(live, requestsProjection))
    const place = requests().refundPlace(id)
    if (place === undefined) return undefined
    const { stream, revision: from } = place
    const [event] = await store.readStream({ stream, direction: 'forwards', from, limit: 1 })
    return event
  }
}

/** Finds an event by its id: by the store itself, or else by the view `events`, caught up. */
function eventsByOwnId(
  live: readonly LiveView[],
  store: EventStore,
  runner: Runner,
): OperatorViews['eventOf'] {
  if (store.eventOf !== undefined) return store.eventOf.bind(store)
  const places = queriesOf(live, eventPlacesProjection, eventPlacesQueries)
  return async (id) => {
    await caughtUp(store, runner, viewOf(live, eventPlacesProjection))
    return eventOfId(store, places()(id), id)
  }
}

async function caughtUp(store: EventStore, runner: Runner, view: LiveView): Promise<void> {
  const head = await store.lastPosition()
  if (!(await runner.reached(head, EVENTS_WAIT_MS, view.name))) throw viewBehindLog(view, head)
}

async function movementsSnapshot(
  live: readonly LiveView[],
  runner: Runner,
): Promise<MovementsSnapshot> {
  const { file } = viewOf(live, usageProjection)
  const snapshot = await runner.betweenDeliveries(() => file.openSnapshot())
  const { database, checkpoint, close } = snapshot
  try {
    const queries = new UsageQueries(database)
    return {
      position: checkpoint.position,
      movements: (accountId, from, to) => queries.movements(accountId, from, to),
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}

function viewOf(live: readonly LiveView[], projection: Projection): LiveView {
  const view = live.find((candidate) => candidate.file.projection === projection)
  if (view === undefined) throw new Error(`the view ${projection.name} is not open`)
  return view
}

/** Statements are prepared once for every opening of the file. */
function queriesOf<Queries>(
  live: readonly LiveView[],
  projection: Projection,
  prepare: (database: LiveView['file']['database']) => Queries,
): () => Queries {
  const view = viewOf(live, projection)
  let queries = prepare(view.file.database)
  let { generation } = view.file
  return () => {
    if (generation !== view.file.generation) {
      queries = prepare(view.file.database)
      generation = view.file.generation
    }
    return queries
  }
}
