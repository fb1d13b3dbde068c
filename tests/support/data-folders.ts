/** Data folders with a history that is the same at every run: ids, times and hashes included. */

import { auditStream } from '@svc/contracts/events/audit'
import { encodeEvent } from '@svc/contracts/events/codec'
import { pricingStream } from '@svc/contracts/events/pricing'
import { eventId } from '@svc/contracts/ids'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { APPEND_EVENTS_MAX, NO_STREAM } from '@svc/contracts/ports/event-store'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { AccountHistory, PRICE, requestId, START_MS } from './account-history.ts'
import { temporaryFolder } from './temporary-folder.ts'

const MINUTE_MS = 60_000
export const finishedRequest = requestId(START_MS + MINUTE_MS, 'finished')
export const stoppedRequest = requestId(START_MS + 2 * MINUTE_MS, 'stopped')
export const failedRequest = requestId(START_MS + 3 * MINUTE_MS, 'failed')

/** One account, one key, $5, one price, three requests: finished, stopped, failed. */
export async function folderWithHistory(): Promise<{ path: string; account: AccountHistory }> {
  const folder = new DataFolder(temporaryFolder())
  folder.make()
  folder.secrets()
  const store = openSqliteEventStore(folder.ledgerFile, { onFatal: () => {} })
  await publishPrice(store)
  const account = new AccountHistory('Ada').open()
  const minute = (n: number) => START_MS + n * MINUTE_MS
  await account
    .accept(finishedRequest, minute(1))
    .settle(finishedRequest, minute(1) + 900)
    .accept(stoppedRequest, minute(2))
    .settle(stoppedRequest, minute(2) + 500, undefined, 'cancelled')
    .accept(failedRequest, minute(3))
    .fail(failedRequest, 'worker_failed', minute(3) + 100)
    .writeTo(store)
  await store.close()
  return { path: folder.path, account }
}

/** Appends `count` more events, of the stream `audit`, which no view shows. */
export async function fillLog(path: string, count: number): Promise<void> {
  const store = openSqliteEventStore(new DataFolder(path).ledgerFile, { onFatal: () => {} })
  const origin = { correlationId: 'filling', causationId: 'filling', actor: 'test' }
  const event = {
    type: 'RecordsRead',
    data: { operation: 'statement', subject: {}, at: START_MS },
  } as const
  let expected = NO_STREAM
  while (expected.revision + 1 < count) {
    const from = expected.revision + 1
    const length = Math.min(APPEND_EVENTS_MAX, count - from)
    const events = Array.from({ length }, (_, index) =>
      encodeEvent(eventId(`filling-${from + index}`, event.type), event, origin),
    )
    const outcome = await store.append({ stream: auditStream, expected, events })
    if (outcome.kind !== 'appended') throw new Error(`the filling is ${outcome.kind}`)
    expected = outcome.head
  }
  await store.close()
}

async function publishPrice(store: EventStore): Promise<void> {
  const origin = { correlationId: PRICE.version, causationId: PRICE.version, actor: 'test' }
  const event = {
    type: 'PricePublished',
    data: {
      model: 'svc-beta',
      priceList: 'default',
      price: PRICE,
      effectiveFrom: START_MS,
      at: START_MS,
    },
  } as const
  await store.append({
    stream: pricingStream,
    expected: NO_STREAM,
    events: [encodeEvent(eventId(PRICE.version, event.type), event, origin)],
  })
}
