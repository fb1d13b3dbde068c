/** A log that is filled before the server opens it, and a server that has read all of it. */
import { join } from 'node:path'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { PriceVersion } from '@svc/contracts/price'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { request } from 'undici'
import { type SeededAccount, seedPrice } from './seed-log.ts'

/** The first request of an account with a long past reads all of it. */
const FIRST_ANSWER_TIMEOUT_MS = 300_000

/** @returns what the seeding gives; the log is closed then */
export async function seedLog<Result>(
  dataFolder: string,
  seed: (store: EventStore, price: PriceVersion) => Promise<Result>,
): Promise<Result> {
  const store = openSqliteEventStore(join(dataFolder, 'ledger.db'), {
    onFatal: (error) => {
      throw error
    },
  })
  try {
    return await seed(store, await seedPrice(store))
  } finally {
    await store.close()
  }
}

/** Every account is in memory and every view at the end of the log, so that neither is measured. */
export async function untilCaughtUp(
  baseUrl: string,
  accounts: readonly SeededAccount[],
): Promise<void> {
  for (const { apiKey } of accounts) {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const patience = { headersTimeout: FIRST_ANSWER_TIMEOUT_MS }
    const body = JSON.stringify({
      model: 'svc-beta',
      messages: [{ role: 'user', content: 'hello' }],
      max_tokens: 1,
    })
    const url = `${baseUrl}/chat/completions`
    const answer = await request(url, { method: 'POST', headers, body, ...patience })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`a first request ended in ${text}`)
    const id = answer.headers['x-request-id']
    for (let status = 0; status !== 200; ) {
      const receipt = await request(`${baseUrl}/requests/${id}`, { headers, ...patience })
      await receipt.body.dump()
      status = receipt.statusCode
    }
  }
}
