/** A ledger with a past in a data folder: accounts whose events stand between each other. */
import { auditStream } from '@svc/contracts/events/audit'
import { encodeEvent } from '@svc/contracts/events/codec'
import { pricingStream } from '@svc/contracts/events/pricing'
import { eventId } from '@svc/contracts/ids'
import { NO_STREAM } from '@svc/contracts/ports/event-store'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { openSqliteTextStore } from '@svc/infra/text-store/sqlite/sqlite-text-store'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { AccountHistory, PRICE, requestId, START_MS } from '@svc/testing/account-history'
import type { Random } from '@svc/testing/random'

const ACCOUNTS = 40
const EVENTS_PER_REQUEST = 3
/** Accounts that write at once, as under load. */
const ROUND = 20
const ROUND_MS = 1_000

export interface Business {
  readonly events: number
  /** Words of texts, and what they stand for; undefined for one that was erased. */
  readonly words: ReadonlyMap<string, string | undefined>
}

/** @param events about how many the business has */
export async function makeBusiness(
  path: string,
  events: number,
  random: Random,
): Promise<Business> {
  const folder = new DataFolder(path)
  folder.make()
  folder.secrets()
  const fail = (error: unknown) => {
    throw error
  }
  const texts = openSqliteTextStore(folder.textsFile, { onFatal: fail })
  const words = new Map<string, string | undefined>()
  for (let text = 0; text < 250; text += 1) {
    words.set(await texts.keep('acct_many', `reference ${text}`), `reference ${text}`)
  }
  words.set(await texts.keep('acct_one', 'Ada Lovelace'), 'Ada Lovelace')
  words.set(await texts.keep('acct_erased', 'Bob'), undefined)
  await texts.erase('acct_erased', 'acct_never')
  await texts.close()

  const store = openSqliteEventStore(folder.ledgerFile, { onFatal: fail })
  const origin = { correlationId: PRICE.version, causationId: PRICE.version, actor: 'test' }
  const data = { model: 'svc-beta', priceList: 'default', price: PRICE, effectiveFrom: START_MS }
  const price = { type: 'PricePublished', data: { ...data, at: START_MS } } as const
  const priced = [encodeEvent(eventId(PRICE.version, price.type), price, origin)]
  await store.append({ stream: pricingStream, expected: NO_STREAM, events: priced })
  const accounts = Array.from({ length: ACCOUNTS }, (_, at) => new AccountHistory(`a${at}`).open())
  await Promise.all(accounts.map((account) => account.writeTo(store)))
  let written = 1 + ACCOUNTS * EVENTS_PER_REQUEST
  for (let round = 0; written < events; round += 1) {
    const at = START_MS + round * ROUND_MS
    const busy = Array.from({ length: ROUND }, () => random.pick(accounts))
    for (const [index, account] of busy.entries()) {
      const id = requestId(at, `${round} ${index}`)
      account.accept(id, at).settle(id, at + 500)
      written += EVENTS_PER_REQUEST
    }
    await Promise.all([...new Set(busy)].map((account) => account.writeTo(store)))
  }
  // A stream whose events follow each other without any other between them.
  const read = { type: 'RecordsRead', data: { operation: 'x', subject: {}, at: START_MS } } as const
  const reads = Array.from({ length: 400 }, (_, at) =>
    encodeEvent(eventId(`read-${at}`, read.type), read, origin),
  )
  await store.append({ stream: auditStream, expected: NO_STREAM, events: reads })
  await store.close()
  return { events: written + reads.length, words }
}
