/**
 * The responses of an account that were stored: what a later request goes on from. A stored
 * response holds its own input and output, and the name of the one before it; a conversation is a
 * chain of them.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import type { Clock } from '@svc/contracts/ports/time'
import { responseIdOfItem } from './items/ids.ts'
import { distinctItems, type Item, type OutputItem } from './items/items.ts'
import type { ResponseObject } from './response-object.ts'

const LIFE_MS = 30 * 24 * 3_600_000
/** Responses of one conversation that are gone back through. */
const MAX_CHAIN_RESPONSES = 1_024
/** Characters of JSON of one conversation: far more than fits the context of a model. */
const MAX_CHAIN_CHARACTERS = 16 * 1024 * 1024
/** Another number is another shape, which this program does not know. */
const VERSION = 1

export interface StoredResponse {
  readonly version: typeof VERSION
  readonly response: ResponseObject
  readonly input: readonly Item[]
}

export interface ResponseStorePorts {
  readonly storedResponses: ExpiringStore
  readonly clock: Clock
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
    return (await this.#read(accountId, responseId))?.stored
  }

  /** @returns whether there was one */
  async remove(accountId: string, responseId: string): Promise<boolean> {
    if ((await this.load(accountId, responseId)) === undefined) return false
    return this.#ports.storedResponses.remove(accountId, responseId)
  }

  /**
   * All items up to and with a response, oldest first: of each response its input, then its output,
   * and each item once.
   *
   * @throws {ServiceError} when one of them is not there, or they are too many
   */
  async conversation(accountId: string, responseId: string): Promise<readonly Item[]> {
    const chain: Item[][] = []
    let characters = 0
    // An older version stored the empty id of a request that went on from nothing.
    for (let id: string | null = responseId; id; ) {
      const found: Read | undefined = await this.#read(accountId, id)
      if (found === undefined) throw notFound(id)
      characters += found.characters
      if (chain.length >= MAX_CHAIN_RESPONSES || characters > MAX_CHAIN_CHARACTERS) throw tooLong()
      const { input, response }: StoredResponse = found.stored
      chain.push([...input, ...response.output])
      id = response.previous_response_id
    }
    // An older version stored items that a request named beside their response again.
    return distinctItems(chain.reverse().flat())
  }

  /** An item of a stored response, by its own name. */
  async item(accountId: string, itemId: string): Promise<Item | undefined> {
    const responseId = responseIdOfItem(itemId)
    if (responseId === undefined) return undefined
    const stored = await this.load(accountId, responseId)
    const items: readonly (Item | OutputItem)[] = [
      ...(stored?.response.output ?? []),
      ...(stored?.input ?? []),
    ]
    return items.find(({ id }) => id === itemId)
  }

  async #read(accountId: string, responseId: string): Promise<Read | undefined> {
    const { storedResponses, clock } = this.#ports
    const text = await storedResponses.load(accountId, responseId, clock.nowMs())
    if (text === undefined) return undefined
    // The store gives back what this program wrote: only the version has to be looked at.
    const stored = JSON.parse(text) as StoredResponse
    if (stored.version !== VERSION) return undefined
    // An older version stored an item as often as it was named.
    const input = distinctItems(stored.input)
    return { stored: { ...stored, input }, characters: text.length }
  }
}

interface Read {
  readonly stored: StoredResponse
  readonly characters: number
}

function notFound(id: string): ServiceError {
  const shown = JSON.stringify(id.slice(0, 64))
  const message =
    `No response ${shown} is stored for this account. Responses are kept for 30 days unless ` +
    'store is false; without one, send the whole conversation as input.'
  return new ServiceError('previous_response_not_found', message, {
    param: 'previous_response_id',
  })
}

function tooLong(): ServiceError {
  const message = 'The conversation is too long to go on from: send the part that matters as input.'
  return new ServiceError('context_length_exceeded', message, { param: 'previous_response_id' })
}
