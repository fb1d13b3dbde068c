/**
 * The responses of an account that were stored: what a later request goes on from. A stored
 * response holds its own input and output, and the name of the one before it; a conversation is a
 * chain of them.
 *
 * A response can have megabytes, and to open and parse them takes the thread that serves all. So
 * they are read in the turns of their account, as bodies are looked at.
 */
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { mayHoldLongNumber } from '@svc/contracts/exact-number'
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import type { Clock } from '@svc/contracts/ports/time'
import { parsedWithDigits, withDigits } from '@svc/contracts/written-digits'
import type { ThreadTurns } from '@svc/infra/turns/thread-turns'
import { distinctItems, type Item } from './items/items.ts'
import type { ResponseObject } from './response-object.ts'

const LIFE_MS = 30 * 24 * 3_600_000
/**
 * The number of the stored shape. Another number is another shape, which this program does not
 * know.
 */
const VERSION = 1

export interface StoredResponse {
  readonly version: typeof VERSION
  readonly response: ResponseObject
  readonly input: readonly Item[]
}

export interface ResponseStorePorts {
  readonly storedResponses: ExpiringStore
  /** The turns of accounts whose bodies are looked at, on the thread that serves all. */
  readonly bodyTurns: Pick<ThreadTurns, 'run'>
  readonly clock: Clock
}

export interface ReadResponse {
  readonly stored: StoredResponse
  readonly characters: number
}

export class ResponseStore {
  readonly #ports: ResponseStorePorts

  constructor(ports: ResponseStorePorts) {
    this.#ports = ports
  }

  /** @param input the items that this request brought, without those of the responses before */
  async save(accountId: string, response: ResponseObject, input: readonly Item[]): Promise<void> {
    const { storedResponses, clock } = this.#ports
    const stored: StoredResponse = { version: VERSION, response, input }
    const expiresAt = clock.nowMs() + LIFE_MS
    await storedResponses.save(accountId, response.id, JSON.stringify(stored), expiresAt)
  }

  async load(accountId: string, responseId: string): Promise<StoredResponse | undefined> {
    return (await this.read(accountId, responseId))?.stored
  }

  /** @returns whether there was one */
  async remove(accountId: string, responseId: string): Promise<boolean> {
    if ((await this.load(accountId, responseId)) === undefined) return false
    return this.#ports.storedResponses.remove(accountId, responseId)
  }

  /** Reads a response, with its length for whoever reads several. */
  async read(accountId: string, responseId: string): Promise<ReadResponse | undefined> {
    const { storedResponses, bodyTurns, clock } = this.#ports
    // Whoever is alone does not rest between two turns, and others must be heard all the same.
    await nextTurnOfLoop()
    const load = () => storedResponses.load(accountId, responseId, clock.nowMs())
    const text = await bodyTurns.run(accountId, load)
    if (text === undefined) return undefined
    return await bodyTurns.run(accountId, () => parsed(text))
  }
}

function parsed(text: string): ReadResponse | undefined {
  // The store gives back what this program wrote: only the version has to be looked at.
  const value = mayHoldLongNumber(text) ? withDigits(parsedWithDigits(text)) : JSON.parse(text)
  const stored = value as StoredResponse
  if (stored.version !== VERSION) return undefined
  // An older version stored an item as often as it was named.
  const input = distinctItems(stored.input)
  return { stored: { ...stored, input }, characters: text.length }
}
