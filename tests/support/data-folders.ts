/** Data folders with a history that is the same at every run: ids, times and hashes included. */

import { encodeEvent } from '@svc/contracts/events/codec'
import { pricingStream } from '@svc/contracts/events/pricing'
import { eventId } from '@svc/contracts/ids'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { NO_STREAM } from '@svc/contracts/ports/event-store'
import { fillStream } from '@svc/infra/event-store/compliance/fixtures'
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

/** Appends so many more events, of a stream that no view follows. */
export async function fillLog(path: string, events: number): Promise<void> {
  const store = openSqliteEventStore(new DataFolder(path).ledgerFile, { onFatal: () => {} })
  await fillStream(store, 'filling', events)
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
